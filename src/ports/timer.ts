/** Waits in real time, for what the world outside needs a moment to do. */
export type Timer = { sleep(ms: number): Promise<void> }
