// Stores images that people upload, and answers them by name. docs/contract.md, "Images".
import { hash } from 'node:crypto'
import type { Asset, Network } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import { CONTENT_TYPES, formatOf, formatOfName, imageName, imagePath, MAX_IMAGE_BYTES } from '#core/images/image.ts'
import type { Token } from '#core/tokens/token.ts'
import type { ImageCodec, ObjectStorage } from '#ports/images.ts'
import type { TokenStore } from '#ports/platform.ts'

export type StoredImage = { readonly contentType: string; readonly bytes: Uint8Array }

export type ImageServices = {
  /**
   * Sets the image of a token of the allowlist; null removes it. Throws `token_not_found`, and as `save` does. For the
   * operator.
   */
  setTokenImage(network: Network, asset: Asset, image: Uint8Array | null): Promise<Token>
  /** Returns the URL of a stored image; null for null, and where no storage is configured. */
  urlOf(name: string | null): string | null
  /** Returns a stored image; null for a name that no image has. */
  read(name: string): Promise<StoredImage | null>
}

export type ImageDeps = {
  readonly codec: ImageCodec
  /** Null where none is configured. */
  readonly storage: ObjectStorage | null
  readonly tokens: Pick<TokenStore, 'find' | 'saveImage'>
  /** Without a slash at the end. */
  readonly publicUrl: string
  readonly directoryChanged: () => Promise<void>
}

export type SaveImage = (image: Uint8Array) => Promise<string>

/**
 * Returns a function that stores an image and returns its name. It throws `image_storage_missing`, `image_too_large`,
 * `invalid_image`, `image_storage_unavailable`.
 */
export function createSaveImage({ codec, storage }: Pick<ImageDeps, 'codec' | 'storage'>): SaveImage {
  return async (given) => {
    if (storage === null) throw new ServiceError('image_storage_missing')
    if (given.length > MAX_IMAGE_BYTES) throw new ServiceError('image_too_large')
    const format = formatOf(given)
    const image = format === null ? null : await codec.encodeAgain(given, format)
    if (image === null) throw new ServiceError('invalid_image')
    const name = imageName(hash('sha256', image.bytes, 'hex'), image.format)
    await reach(() => storage.put(name, CONTENT_TYPES[image.format], image.bytes))
    return name
  }
}

export function createImageServices(deps: ImageDeps): ImageServices {
  const { storage, tokens, publicUrl } = deps
  const save = createSaveImage(deps)
  return {
    async setTokenImage(network, asset, image) {
      // Asked first: an image is stored for a token only.
      if ((await tokens.find(network, asset)) === null) throw new ServiceError('token_not_found')
      const saved = await tokens.saveImage(network, asset, image === null ? null : await save(image))
      if (saved === null) throw new ServiceError('token_not_found')
      await deps.directoryChanged()
      return saved
    },

    urlOf: (name) => (name === null || storage === null ? null : `${publicUrl}${imagePath(name)}`),

    async read(name) {
      const format = formatOfName(name)
      if (format === null || storage === null) return null
      const bytes = await reach(() => storage.get(name))
      return bytes === null ? null : { contentType: CONTENT_TYPES[format], bytes }
    },
  }
}

async function reach<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    throw new ServiceError('image_storage_unavailable', {}, { cause })
  }
}
