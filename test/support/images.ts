// Pictures, and a storage that keeps them in memory.
import sharp from 'sharp'
import type { ObjectStorage } from '#ports/images.ts'

export const createMemoryStorage = (objects = new Map<string, Uint8Array>()): ObjectStorage => ({
  put: async (name, _type, bytes) => void objects.set(name, bytes),
  get: async (name) => objects.get(name) ?? null,
})

/** What the metadata of each picture says. */
export const METADATA = 'a home address'

/** Makes a picture from pixels, because the codec of the service switches off every decoder that it does not need. */
export const picture = (width = 60, height = 40, background = 'teal') =>
  sharp({ create: { width, height, channels: 3, background } }).withExif({ IFD0: { Copyright: METADATA } })
