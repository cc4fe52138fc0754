// Settings of what the service stores: its directory, its database, and the storage of images.
import { join } from 'node:path'
import { z } from 'zod'
import { baseUrlSetting, ConfigError, hasProtocol, secretSetting, setting, type Values } from './setting.ts'

const postgresSetting = () =>
  secretSetting(z.string().refine(hasProtocol(/^postgres(ql)?:$/)), 'postgres://user:password@host:5432/database')

export const STORAGE_SETTINGS = {
  DATA_DIR: setting(z.string(), 'a directory that this process may write to'),
  DATABASE_URL: postgresSetting(),
  DATABASE_DIRECT_URL: postgresSetting(),
  S3_ENDPOINT: baseUrlSetting('https://s3.eu-central-1.amazonaws.com'),
  S3_BUCKET: setting(z.string().regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/), 'the name of a bucket'),
  S3_REGION: setting(z.string().regex(/^[\w-]{1,40}$/), 'a region such as eu-central-1'),
  S3_ACCESS_KEY_ID: setting(z.string().regex(/^[\x21-\x7e]+$/), 'the id of an access key'),
  S3_SECRET_ACCESS_KEY: secretSetting(z.string().regex(/^[\x21-\x7e]+$/), 'the secret of the access key'),
}
type StorageSettings = Values<typeof STORAGE_SETTINGS>

export type DatabaseConfig =
  | { readonly kind: 'embedded'; readonly directory: string }
  | { readonly kind: 'postgres'; readonly url: string; readonly directUrl?: string }

export type ImagesConfig =
  | { readonly kind: 'folder'; readonly directory: string }
  | {
      readonly kind: 's3'
      readonly endpoint: string
      readonly bucket: string
      readonly region: string
      readonly accessKeyId: string
      readonly secretAccessKey: string
    }

export const DEFAULT_DATA_DIR = '.data'
export const dataDirOf = ({ DATA_DIR = DEFAULT_DATA_DIR }: Pick<StorageSettings, 'DATA_DIR'>): string => DATA_DIR

export const databaseOf = (settings: StorageSettings): DatabaseConfig =>
  settings.DATABASE_URL === undefined
    ? { kind: 'embedded', directory: join(dataDirOf(settings), 'database') }
    : { kind: 'postgres', url: settings.DATABASE_URL, directUrl: settings.DATABASE_DIRECT_URL }

/** A folder serves one process, as the embedded database does. Throws ConfigError when a setting of S3 is missing. */
export function imagesOf(settings: StorageSettings): ImagesConfig | null {
  const given = S3_REQUIRED.filter((name) => settings[name] !== undefined)
  if (given.length === 0) {
    return settings.DATABASE_URL === undefined
      ? { kind: 'folder', directory: join(dataDirOf(settings), 'images') }
      : null
  }
  const { S3_ENDPOINT: endpoint, S3_BUCKET: bucket, S3_REGION: region = 'us-east-1' } = settings
  const { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = settings
  if (endpoint === undefined || bucket === undefined || accessKeyId === undefined || secretAccessKey === undefined) {
    const missing = S3_REQUIRED.find((name) => settings[name] === undefined) ?? 'S3_ENDPOINT'
    throw new ConfigError(
      `${missing}: is missing, and ${given[0]} is set; set ${S3_REQUIRED.join(', ')}, or none of them`,
    )
  }
  return { kind: 's3', endpoint, bucket, region, accessKeyId, secretAccessKey }
}

const S3_REQUIRED = ['S3_ENDPOINT', 'S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'] as const
