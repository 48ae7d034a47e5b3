// Where recordings come from: out of the page itself, or from the server that it came from.

import { Recording, inflate, unpack } from "./reels";

/** ms. How long to wait before asking again for frames that are not there yet, or for a server that does not answer. */
const PAUSE = 1000;

const pause = () => new Promise((resolve) => setTimeout(resolve, PAUSE));

/** The bytes of an element of the page; null if it has none. */
export async function embedded(id: string): Promise<Uint8Array | null> {
  const text = document.getElementById(id)?.textContent?.trim();
  if (!text) return null;
  const response = await fetch(`data:application/octet-stream;base64,${text}`);
  return new Uint8Array(await response.arrayBuffer());
}

/** The same, inflated. */
export async function embeddedDeflated(id: string): Promise<ArrayBuffer | null> {
  const packed = await embedded(id);
  return packed && inflate(packed);
}

/** Who is told of what comes later. */
export interface Audience {
  /** There are more frames. */
  grown: () => void;
  /** The server is gone, or back. */
  lost: (gone: boolean) => void;
}

/** A recording of the page, `film` or `other`, once it has a first frame; null if there is no such one. */
export async function recording(name: "film" | "other", audience: Audience): Promise<Recording | null> {
  const whole = await embedded(name);
  if (whole) return new Recording(await unpack(whole));
  if (document.body.dataset["served"]?.split(" ").includes(name) !== true) return null;
  let first = await ask(name, 0);
  while (!first) {
    await pause();
    first = await ask(name, 0);
  }
  const film = new Recording(await first.reel);
  void follow(name, film, audience);
  return film;
}

/** Frames that are on their way, and how many they are. */
interface Delivery {
  frames: number;
  reel: ReturnType<typeof unpack>;
}

/** Frames from one on; null if there are none yet. */
async function ask(name: string, from: number): Promise<Delivery | null> {
  const response = await fetch(`${name}?from=${from}`, { cache: "no-store" });
  if (response.status === 204) return null;
  if (!response.ok) throw new Error(await response.text());
  const reel = response.arrayBuffer().then((bytes) => unpack(new Uint8Array(bytes)));
  // Whoever awaits it learns of a failure; until then it is not one that nobody looks at.
  reel.catch(() => {});
  return { frames: Number(response.headers.get("x-frames")), reel };
}

/** Asks for more until the run is over and all of it is here. */
async function follow(name: string, film: Recording, { grown, lost }: Audience): Promise<void> {
  let next: Promise<Delivery | null> | null = null;
  while (!film.complete) {
    try {
      const delivery = await (next ?? ask(name, film.times.length));
      next = null;
      lost(false);
      if (!delivery) {
        await pause();
        continue;
      }
      // The next are packed while these are unpacked.
      next = ask(name, film.times.length + delivery.frames);
      next.catch(() => {});
      const more = await delivery.reel;
      // Another recording is in its place now: begin with it.
      if (more.header.id !== film.id || more.header.first !== film.times.length) return location.reload();
      film.append(more);
      grown();
    } catch {
      next = null;
      lost(true);
      await pause();
    }
  }
}
