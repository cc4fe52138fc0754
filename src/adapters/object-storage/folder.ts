// Objects as files of one directory.
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '#adapters/node/system-error.ts'
import type { ObjectStorage } from '#ports/images.ts'

/** Names of objects are those of files: a caller passes no separator. */
export function createFolderStorage(directory: string, newId: () => string): ObjectStorage {
  return {
    async put(name, _contentType, bytes) {
      await mkdir(directory, { recursive: true, mode: 0o700 })
      const unfinished = join(directory, `.${newId()}`)
      await writeFile(unfinished, bytes, { mode: 0o600, flush: true })
      await rename(unfinished, join(directory, name))
    },

    async get(name) {
      try {
        return new Uint8Array(await readFile(join(directory, name)))
      } catch (error) {
        if (codeOf(error) === 'ENOENT') return null
        throw error
      }
    },
  }
}
