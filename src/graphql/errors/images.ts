// Errors of images.
import { OUTAGE_SECONDS, type PublicErrors } from '#graphql/errors/entry.ts'

export const IMAGE_ERRORS = {
  invalid_image: {
    status: 400,
    message:
      'the image must be a PNG, JPEG or WebP file of at most 16,777,216 pixels, or 4,194,304 when it is interlaced, progressive or of 16 bits, and no side above 8,192',
    meaning: 'The file has another format, is damaged, or has too many pixels.',
    remedy: 'Send a PNG, JPEG or WebP file, if need be scaled down.',
  },
  image_too_large: {
    status: 413,
    message: 'the image must have at most 1 MB',
    meaning: 'The file is larger than 1 MB.',
    remedy: 'Scale the image down, or compress it more.',
  },
  image_storage_missing: {
    status: 409,
    message: 'this deployment stores no images',
    meaning: 'No object storage is configured.',
    remedy:
      'The operator can set `S3_ENDPOINT`, `S3_BUCKET`, `S3_ACCESS_KEY_ID` and `S3_SECRET_ACCESS_KEY`; all of them are needed.',
  },
  image_storage_unavailable: {
    status: 503,
    message: 'the image storage cannot be reached right now; try again',
    meaning: 'The object storage does not answer, or refuses the credentials of the service.',
    remedy: 'Repeat the request after the seconds of `Retry-After`.',
    retryAfter: OUTAGE_SECONDS,
  },
} satisfies PublicErrors
