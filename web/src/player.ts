// Time: playing, stopping, going to a frame.

export class Player {
  playing = false;
  looping = true;
  speed = 1;
  private frame = 0;
  private time: number;
  private last = 0;

  constructor(
    private readonly times: number[],
    private readonly show: (frame: number) => void,
    private readonly changed: () => void,
  ) {
    this.time = times[0] ?? 0;
  }

  get current(): number {
    return this.frame;
  }

  /** Goes to a frame, no farther than there are. */
  go(frame: number): void {
    this.frame = Math.min(Math.max(Math.round(frame), 0), this.times.length - 1);
    this.time = this.times[this.frame] ?? 0;
    this.show(this.frame);
  }

  /** Goes to the last frame by a time, s. */
  seek(time: number): void {
    this.go(this.frameAt(time));
  }

  play(playing: boolean): void {
    if (playing && this.frame === this.times.length - 1) this.go(0);
    this.playing = playing;
    this.last = 0;
    if (playing) requestAnimationFrame((now) => this.tick(now));
    this.changed();
  }

  /** Frames that the display cannot show in time are left out. */
  private tick(now: number): void {
    if (!this.playing) return;
    this.time += this.last > 0 ? ((now - this.last) / 1000) * this.speed : 0;
    this.last = now;
    const end = this.times[this.times.length - 1] ?? 0;
    if (this.time > end) {
      if (!this.looping) {
        this.go(this.times.length - 1);
        return this.play(false);
      }
      this.time = this.times[0] ?? 0;
    }
    const frame = this.frameAt(this.time);
    if (frame !== this.frame) {
      this.frame = frame;
      this.show(frame);
    }
    requestAnimationFrame((later) => this.tick(later));
  }

  private frameAt(time: number): number {
    let frame = 0;
    while (frame + 1 < this.times.length && this.times[frame + 1]! <= time + 1e-9) frame++;
    return frame;
  }
}
