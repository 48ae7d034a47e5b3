// Where a film comes from: the page itself, or the server that the page came from.

import { Film, unpack } from "./film";

/** ms. How long to wait before asking again for frames that are not there yet, or for a server that does not answer. */
const PAUSE = 1000;

const pause = () => new Promise((resolve) => setTimeout(resolve, PAUSE));

/** The film in the page, if it has one. */
async function embedded(): Promise<Film | null> {
  const text = document.getElementById("film")?.textContent?.trim();
  if (!text) return null;
  const response = await fetch(`data:application/octet-stream;base64,${text}`);
  return new Film(await unpack(new Uint8Array(await response.arrayBuffer())));
}

/** Frames from one on; null if there are none yet. */
async function ask(from: number): Promise<Awaited<ReturnType<typeof unpack>> | null> {
  const response = await fetch(`film?from=${from}`, { cache: "no-store" });
  if (response.status === 204) return null;
  if (!response.ok) throw new Error(await response.text());
  return unpack(new Uint8Array(await response.arrayBuffer()));
}

/** The film, once it has a first frame. Of what follows, `grown` is told; of a server that is gone, `lost`. */
export async function film(grown: () => void, lost: (gone: boolean) => void): Promise<Film> {
  const whole = await embedded();
  if (whole) return whole;
  let first = await ask(0);
  while (!first) {
    await pause();
    first = await ask(0);
  }
  const film = new Film(first);
  void follow(film, grown, lost);
  return film;
}

/** Asks for more until the run is over and all of it is here. */
async function follow(film: Film, grown: () => void, lost: (gone: boolean) => void): Promise<void> {
  const { id } = film.header;
  let finished = film.header.finished && film.frames >= film.header.total;
  while (!finished) {
    try {
      const more = await ask(film.frames);
      lost(false);
      if (!more) {
        await pause();
        continue;
      }
      // Another recording is in its place now: begin with it.
      if (more.header.id !== id || more.header.first !== film.frames) return location.reload();
      film.append(more);
      finished = more.header.finished && film.frames >= more.header.total;
      grown();
    } catch {
      lost(true);
      await pause();
    }
  }
}
