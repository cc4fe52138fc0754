// Writes the part of the client that derives from openapi.json, and the check of receipts, which it shares with the service.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { apiSource } from './api.ts'

export function generateClient(): void {
  const document = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'))
  const directory = new URL('../../sdk/src/generated/', import.meta.url)
  mkdirSync(directory, { recursive: true })
  writeFileSync(new URL('api.ts', directory), apiSource(document))
  const receipts = new URL('receipts/', directory)
  mkdirSync(receipts, { recursive: true })
  for (const file of ['shape.ts', 'check.ts'])
    copyFileSync(new URL(`../../src/core/receipts/${file}`, import.meta.url), new URL(file, receipts))
}
