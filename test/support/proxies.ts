// nginx and Caddy of Debian's packages, with the configurations in examples/proxy. `NGINX` and `CADDY` name other programs.
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.ts'
import { LOCALHOST_CERTIFICATE, LOCALHOST_KEY } from './localhost-certificate.ts'
import { until } from './until.ts'

export const PROXIES = ['nginx', 'caddy'] as const
export type ProxyName = (typeof PROXIES)[number]

/** Returns the path of an installed proxy; null where there is none. */
export const programOf = (name: ProxyName): string | null =>
  [
    process.env[name.toUpperCase()] ?? '',
    ...[...(process.env.PATH ?? '').split(':'), '/usr/sbin'].map((directory) => join(directory, name)),
  ].find((path) => path !== '' && existsSync(path)) ?? null

export type RunningProxy = {
  /** Ports on 127.0.0.1. The name of the proxy is localhost. */
  readonly port: number
  readonly httpPort: number
  /** Everything that it has logged. */
  log(): string
  stop(): Promise<void>
}

// The process that started a proxy keeps the input of this script open. When that input closes for any reason, it stops.
const KEEPER = '"$@" </dev/null & read -r _; kill -KILL "$!"'

/** Starts a proxy in front of a service on this port of 127.0.0.1. */
export async function startProxy(name: ProxyName, servicePort: number): Promise<RunningProxy> {
  const directory = mkdtempSync(join(tmpdir(), `${name}-`))
  const [port, httpPort] = [await freePort(), await freePort()]
  const at = { directory, port, httpPort, servicePort }
  writeFileSync(join(directory, 'fullchain.pem'), LOCALHOST_CERTIFICATE)
  writeFileSync(join(directory, 'privkey.pem'), LOCALHOST_KEY)
  writeFileSync(join(directory, 'all.log'), '')
  const args = name === 'nginx' ? nginx(at) : caddy(at)
  const keeper = spawn('/bin/sh', ['-c', KEEPER, 'keeper', programOf(name) ?? '', ...args], {
    env: { PATH: process.env.PATH, HOME: directory, XDG_DATA_HOME: directory, XDG_CONFIG_HOME: directory },
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  await until(() => accepts(port))
  return {
    port,
    httpPort,
    log: () => readFileSync(join(directory, 'all.log'), 'utf8'),
    async stop() {
      const exited = new Promise((resolve) => keeper.once('exit', resolve))
      keeper.stdin.end()
      await exited
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

type At = {
  readonly directory: string
  readonly port: number
  readonly httpPort: number
  readonly servicePort: number
}

/** Returns a configuration, with what belongs to one machine replaced. Throws where a part is missing. */
function stated(name: string, replaced: readonly (readonly [string, string])[]): string {
  const config = readFileSync(new URL(`../../examples/proxy/${name}`, import.meta.url), 'utf8')
  return replaced.reduce((text, [part, by]) => {
    if (!text.includes(part)) throw new Error(`the configuration of ${name} has no “${part}”`)
    return text.replaceAll(part, by)
  }, config)
}

function nginx({ directory, port, httpPort, servicePort }: At): string[] {
  const own = stated('payments.conf', [
    // Not every machine has IPv6.
    ['  listen [::]:80;\n', ''],
    ['  listen [::]:443 ssl http2;\n', ''],
    ['listen 80;', `listen 127.0.0.1:${httpPort};`],
    ['listen 443 ssl', `listen 127.0.0.1:${port} ssl`],
    ['127.0.0.1:4000', `127.0.0.1:${servicePort}`],
    ['/etc/letsencrypt/live/pay.example.com', directory],
    ['/var/log/nginx/payments-error.log', `${directory}/all.log`],
    ['/var/log/nginx/payments.log', `${directory}/all.log`],
    ['pay.example.com', 'localhost'],
  ])
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((what) => `${what}_temp_path ${directory}/${what};`)
    .join(' ')
  const main = `daemon off; master_process off; pid ${directory}/pid; error_log ${directory}/all.log;
events {}
http { ${temporary} include payments.conf; }
`
  writeFileSync(join(directory, 'payments.conf'), own)
  writeFileSync(join(directory, 'nginx.conf'), main)
  return ['-e', join(directory, 'all.log'), '-c', join(directory, 'nginx.conf')]
}

function caddy({ directory, port, servicePort }: At): string[] {
  const own = stated('Caddyfile', [
    ['127.0.0.1:4000', `127.0.0.1:${servicePort}`],
    ['pay.example.com {', `https://localhost:${port} {\n\ttls ${directory}/fullchain.pem ${directory}/privkey.pem`],
  ])
  const file = join(directory, 'Caddyfile')
  writeFileSync(file, `{\n\tadmin off\n\tauto_https off\n}\n${own}`)
  return ['run', '--adapter', 'caddyfile', '--config', file]
}

/** Returns whether a program listens. */
const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })
