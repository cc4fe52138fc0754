// Decoding images, and the storage that has them.
import type { Image, ImageFormat } from '#core/images/image.ts'

export type ImageCodec = {
  /** Decodes the image and encodes it again in the same format, without metadata. Returns null for a file that it cannot. */
  encodeAgain(bytes: Uint8Array, format: ImageFormat): Promise<Image | null>
}

/** Objects by name. A name stands for its content, so an object never changes. */
export type ObjectStorage = {
  put(name: string, contentType: string, bytes: Uint8Array): Promise<void>
  /** Returns null when there is no such object. */
  get(name: string): Promise<Uint8Array | null>
}
