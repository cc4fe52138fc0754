// After a write to accounts, keys or the allowlist: this instance forgets what it kept, and tells the others.
import type { Announcer } from '#ports/announcer.ts'

/** To be awaited after the write and before its answer, so that whoever reads the answer finds it true here. */
export type DirectoryChanged = () => Promise<void>

export function createDirectoryChanged(
  caches: readonly { clear(): void }[],
  announcer: Pick<Announcer, 'directoryChanged'>,
): DirectoryChanged {
  return async () => {
    for (const cache of caches) cache.clear()
    // The write stands whether or not the others hear of it now: in a few seconds they look again by themselves.
    await announcer.directoryChanged().catch(() => {})
  }
}
