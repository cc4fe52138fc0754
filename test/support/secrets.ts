// Credentials of a service whose master seed everyone knows.
import { hash } from 'node:crypto'
import { createSecrets } from '#adapters/node/secrets.ts'
import type { Random } from '#ports/random.ts'
import type { Secrets } from '#ports/secrets.ts'

const derive = (label: string): Uint8Array => hash('sha256', label, 'buffer')

export const createTestSecrets = ({ bytes }: Pick<Random, 'bytes'>, options?: { isSandbox: boolean }): Secrets =>
  createSecrets({ bytes, derive }, options)
