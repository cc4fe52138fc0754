// The metadata of an input.
import { ServiceError } from '#core/errors.ts'
import { isMetadata, type Metadata } from '#core/metadata.ts'

/** Returns the metadata to store; null clears. Throws `invalid_metadata`. */
export function metadataOf(given: object | null | undefined): Metadata {
  if (given === null || given === undefined) return {}
  if (!isMetadata(given)) throw new ServiceError('invalid_metadata')
  return given
}
