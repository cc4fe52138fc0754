// The whole command line: `npm run -s operator -- COMMAND`. It reaches the service over HTTP only.
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Command, CommanderError } from 'commander'
import { findService } from '#adapters/node/running-service.ts'
import { type ClientConfig, parseClientConfig } from '#config/config.ts'
import type { Env } from '#config/environment.ts'
import { ConfigError } from '#config/setting.ts'
import { serviceUrl } from './arguments.ts'
import { createAsk } from './client.ts'
import { addAccountCommands } from './commands/account.ts'
import { addAuditCommand } from './commands/audit.ts'
import { addChargeCommands } from './commands/charge.ts'
import { addCustodianCommands } from './commands/custodian.ts'
import { addHaltCommands } from './commands/halt.ts'
import { addHeldCommands } from './commands/held.ts'
import { addKeyCommands } from './commands/key.ts'
import { addLogCommand } from './commands/log.ts'
import { addMarketplaceCommands, addSellerCommands } from './commands/marketplace.ts'
import { addMemberCommands } from './commands/member.ts'
import { addSandboxCommands } from './commands/sandbox.ts'
import { addSeedCommands } from './commands/seed.ts'
import { addStatusCommand } from './commands/status.ts'
import { addSubscriptionCommands } from './commands/subscription.ts'
import { addTokenCommands } from './commands/token.ts'
import { addTransferCommands } from './commands/transfer.ts'
import { addWebhookCommands } from './commands/webhook.ts'
import { Failure, failureJson, MISUSED, REFUSED, UNREACHABLE } from './failure.ts'
import { toJson } from './output.ts'
import { createProgress, type Shell } from './shell.ts'

export type Terminal = {
  readonly out: (line: string) => void
  readonly err: (line: string) => void
  /** Writes to the terminal as it is, apart from the results; null or left out where there is none. */
  readonly redraw?: ((text: string) => void) | null
}

type GlobalOptions = { url?: string; token?: string; json?: boolean }

/**
 * Runs one command and answers its exit code: 0 done, 1 refused, 2 misused, 3 unreachable. Never throws. With --json, what
 * went wrong is one JSON object on stderr.
 */
export async function runOperator(args: readonly string[], env: Env, terminal: Terminal): Promise<number> {
  // Known before anything is parsed: what is wrong may be in front of it.
  const json = args.includes('--json')
  const program = new Command('operator')
    .description(
      'Manages a running payments service: accounts, keys, the allowlist, and money that waits for a person.',
    )
    .option(
      '--url <url>',
      'where the service is; with your own token, from OPERATOR_PORT or PORT, else the service that runs with DATA_DIR',
      serviceUrl('--url'),
    )
    .option('--token <token>', 'the operator token; else OPERATOR_TOKEN, else the file operator-token in DATA_DIR')
    .option('--json', 'print one JSON object')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.out(text.trimEnd()),
      // Help about a mistake is for people; the mistake itself is printed below.
      writeErr: (text) => (json ? undefined : terminal.err(text.trimEnd())),
      outputError: () => {},
    })
  const shell = createShell(() => program.opts<GlobalOptions>(), env, terminal)
  addAccountCommands(program, shell)
  addKeyCommands(program, shell)
  addMemberCommands(program, shell)
  addLogCommand(program, shell)
  addMarketplaceCommands(program, shell)
  addSellerCommands(program, shell)
  addTokenCommands(program, shell)
  addCustodianCommands(program, shell)
  addStatusCommand(program, shell)
  addAuditCommand(program, shell)
  addHaltCommands(program, shell)
  addHeldCommands(program, shell)
  addSandboxCommands(program, shell)
  addSeedCommands(program, shell)
  addTransferCommands(program, shell)
  addSubscriptionCommands(program, shell)
  addChargeCommands(program, shell)
  addWebhookCommands(program, shell)
  try {
    await program.parseAsync(args, { from: 'user' })
    return 0
  } catch (error) {
    const failure = failureOf(error)
    if (failure === null) return 0
    if (json) terminal.err(failureJson(failure))
    else if (failure.code !== HELP_SHOWN) terminal.err(failure.message)
    return failure.exitCode
  }
}

/** People are shown the help in place of this failure. */
const HELP_SHOWN = 'command_missing'

/** Returns the failure; null when there is none, as for help. */
function failureOf(error: unknown): Failure | null {
  if (error instanceof Failure) return error
  if (error instanceof ConfigError) return new Failure(error.message, MISUSED, 'invalid_setting')
  if (!(error instanceof CommanderError))
    return new Failure(error instanceof Error ? error.message : String(error), REFUSED, 'internal_error')
  if (error.exitCode === 0) return null
  if (error.code === 'commander.help')
    return new Failure('a command is missing: --help lists the commands', MISUSED, HELP_SHOWN)
  return new Failure(error.message.replace(/^error: /, ''), MISUSED)
}

/** Options are read when a command asks for something, because only then are they parsed. */
function createShell(options: () => GlobalOptions, env: Env, { out, err, redraw = null }: Terminal): Shell {
  return {
    async ask(document, variables) {
      const settings = parseClientConfig(env)
      const url = (options().url ?? (await addressOf(settings, options().token))).replace(/\/+$/, '')
      return await createAsk(url, () => tokenOf(options().token, settings.token))(document, variables)
    },
    show: (json, text) => out(options().json ? toJson(json) : text()),
    // npm runs the command in the directory of the project, and names the other one.
    pathOf: (file) => resolve(env.INIT_CWD ?? '', file),
    note: err,
    progress: (label) => createProgress(label, redraw, err),
  }
}

/**
 * Returns the address of the service on this machine. The token in DATA_DIR is for the service that runs with this directory: it
 * is not offered to a program that happens to listen at a port that a setting names.
 */
async function addressOf({ url, hasPort, dataDir, token }: ClientConfig, given: string | undefined): Promise<string> {
  const isTokenGiven = given !== undefined || token.kind === 'given'
  const running = isTokenGiven && hasPort ? null : await findService(dataDir)
  if (running !== null) return running
  if (isTokenGiven) return url
  throw new Failure(
    `no service runs with the DATA_DIR ${dataDir}: start it with npm start, or say where it is with --url`,
    UNREACHABLE,
  )
}

async function tokenOf(given: string | undefined, setting: ClientConfig['token']): Promise<string> {
  if (given !== undefined) return given
  if (setting.kind === 'given') return setting.secret
  try {
    return (await readFile(setting.path, 'utf8')).trim()
  } catch {
    throw new Failure(
      `no operator token: ${setting.path} cannot be read; start the service with npm start, or pass --token or OPERATOR_TOKEN`,
      UNREACHABLE,
      'no_operator_token',
    )
  }
}
