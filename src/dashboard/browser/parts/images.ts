// Images that a person chooses to upload.
import type { Fault } from '#dashboard/browser/fault.ts'

/** What the service takes. */
export const IMAGE_FORMATS = 'image/png,image/jpeg,image/webp'
const MAX_BYTES = 1_048_576

/** Returns a URL with the bytes of a file, or why the service would refuse it. */
export async function readImage(file: File): Promise<{ readonly url: string } | { readonly fault: Fault }> {
  if (file.size > MAX_BYTES) return { fault: { code: 'image_too_large', message: '' } }
  const url = await dataUrlOf(file)
  return url === null ? { fault: { code: 'invalid_image', message: '' } } : { url }
}

/** Returns the bytes of such a URL as the API takes them. */
export const imageDataOf = (url: string): string => url.slice(url.indexOf(',') + 1)

const dataUrlOf = (file: File): Promise<string | null> =>
  new Promise((resolve) => {
    const reader = new FileReader()
    reader.addEventListener('loadend', () => resolve(typeof reader.result === 'string' ? reader.result : null))
    reader.readAsDataURL(file)
  })
