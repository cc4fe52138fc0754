// `npm start`: reads the settings, starts the service, says where it is and what to try, and stops it when asked.
import { readFileSync } from 'node:fs'
import { type Config, parseConfig } from '#config/config.ts'
import { environment } from '#config/environment.ts'
import { ConfigError } from '#config/setting.ts'
import { DEFAULT_DATA_DIR } from '#config/storage.ts'
import { type RunningService, startService } from './compose/service.ts'
import { createLog } from './server/log.ts'

/** How long a stop may take before it is cut short: everything that matters is in the database at any moment. */
const STOP_WITHIN_MS = 15_000

const version = readVersion()
const say = (line: string): void => console.log(line)

function readVersion(): string {
  const read: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  return typeof read === 'object' && read !== null && 'version' in read ? String(read.version) : 'unknown'
}

async function main(): Promise<void> {
  // What this process and the embedded chain's write is for their owner only.
  process.umask(0o077)
  const config = parseConfig(environment())
  const log = createLog(config.logLevel)
  const service = await startService(config, { version, log, progress: (line) => say(`  ${line}`) })
  stopWhenAsked(service)
  void service.lost.then(async (reason) => {
    console.error(reason)
    await service.close()
    process.exit(1)
  })
  await welcome(service, config)
}

async function welcome(service: RunningService, { dataDir, server }: Config): Promise<void> {
  const { url, operatorDashboard, demo, dashboard, remarks } = service
  for (const remark of remarks) say(`  ${remark}`)
  say(
    url === null
      ? `\nThis worker of the payments service runs. ${whereMetricsAre(server)}`
      : `\nThe payments service listens at ${url}  (GraphQL and websocket at ${url}/graphql)`,
  )
  if (operatorDashboard !== null) say(`The operator's dashboard is at ${operatorDashboard}`)
  if (demo === null || url === null) return
  const setting = dataDir === DEFAULT_DATA_DIR ? '' : `DATA_DIR=${dataDir} `
  say(`  demo business  ${demo.account_id}`)
  say(`  its API key    ${demo.api_key}`)
  say(`  its dashboard  ${await dashboard()}`)
  say('\nTry, in another terminal:')
  say(`  ${setting}npm run demo                       one payment, from create to swept`)
  say(`  ${setting}npm run -s operator -- status      what the operator sees`)
  say(`  open ${url}/graphql  GraphiQL\n`)
}

const whereMetricsAre = ({ operatorPort, operatorUrl }: Config['server']): string =>
  operatorPort === null
    ? 'It listens at no address; OPERATOR_PORT lets it serve /metrics.'
    : `Its metrics are at ${operatorUrl}/metrics`

function stopWhenAsked(service: RunningService): void {
  let stopping = false
  const stop = (): void => {
    if (stopping) process.exit(1)
    stopping = true
    say('\nStopping; press Ctrl-C again to stop at once.')
    setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref()
    service.close().then(
      () => process.exit(0),
      (error: unknown) => {
        console.error(error)
        process.exit(1)
      },
    )
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop)
}

main().catch((error: unknown) => {
  console.error(error instanceof ConfigError ? error.message : error)
  process.exit(1)
})
