// Opens the storage of images that the settings name.
import { random } from '#adapters/node/random.ts'
import { createFolderStorage } from '#adapters/object-storage/folder.ts'
import { createS3Storage } from '#adapters/object-storage/s3.ts'
import type { Config } from '#config/config.ts'
import type { ObjectStorage } from '#ports/images.ts'

/** Returns null where none is configured. */
export function openImageStorage(setting: Config['images']): ObjectStorage | null {
  if (setting === null) return null
  return setting.kind === 's3' ? createS3Storage(setting) : createFolderStorage(setting.directory, random.uuid)
}
