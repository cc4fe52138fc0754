// Clears the caches of this instance after a write to accounts, keys or the allowlist, and notifies other instances.
import type { Announcer } from '#ports/platform.ts'

/** To be awaited after the write and before its answer: the next request on this instance then sees the write. */
export type DirectoryChanged = () => Promise<void>

export function createDirectoryChanged(
  caches: readonly { clear(): void }[],
  announcer: Pick<Announcer, 'directoryChanged'>,
): DirectoryChanged {
  return async () => {
    for (const cache of caches) cache.clear()
    // A lost notice is harmless: other instances read again within a few seconds.
    await announcer.directoryChanged().catch(() => {})
  }
}
