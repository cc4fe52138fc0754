#!/usr/bin/env node
// The command `solana-payments`, for developers.
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { SolanaPaymentsError } from '../errors.ts'
import * as commands from './commands.ts'
import { CommandError, type Context, contextFor, type Given, MISUSE } from './context.ts'
import { listen } from './listen.ts'
import { Output } from './output.ts'
import { TRIGGERS, trigger } from './trigger.ts'
import { verify } from './verify.ts'

type Option = ParseArgsOptionsConfig[string] & { readonly value?: string; readonly about: string }
type Command = {
  /** What follows the name. */
  readonly args?: string
  readonly about: string
  readonly options?: Readonly<Record<string, Option>>
  readonly more?: string
} & (
  | { readonly run: (context: Context) => Promise<void>; readonly needsKey?: true }
  | { readonly run: (given: Given) => Promise<void>; readonly needsKey: false }
)

const string = (value: string, about: string) => ({ type: 'string', value, about }) as const
const list = (value: string, about: string) => ({ type: 'string', multiple: true, value, about }) as const
const flag = (about: string) => ({ type: 'boolean', about }) as const
const LIMIT = { limit: string('N', 'how many, at most 100; 20 when left out') }

const COMMANDS: Readonly<Record<string, Command>> = {
  listen: {
    about: 'follow the events of the business, and forward them to your program as signed webhooks',
    options: {
      'forward-to': string('URL', 'where your program takes webhooks; without it, events are only shown'),
      types: list('TYPES', 'only these types, with commas between them'),
      secret: string('whsec_…', 'the secret to sign with; one that derives from the key when left out'),
      new: flag('begin at the present, and not after the last event that was handled'),
      after: string('CURSOR', 'begin after this place of the event log'),
      event: string('ID', 'forward this event again, and end'),
    },
    run: listen,
  },
  trigger: {
    args: '<type>',
    about: 'make a type of event really happen in a sandbox',
    more: `Types:\n  ${TRIGGERS.join('\n  ')}`,
    run: trigger,
  },
  verify: {
    args: '<receipt.jws>',
    about: 'check the signature and the sums of a receipt, and show what it says',
    options: {
      issuer: string('URL', 'the service that must have issued it; without it, see for yourself who has'),
      jwks: string('FILE', 'the keys of the issuer, to work offline; fetched from the issuer when left out'),
      rpc: string('URL', 'a Solana RPC provider: each transaction is read and compared'),
    },
    more: 'Exit codes: 0 the receipt is good, 1 it is not, 2 it could not be checked.',
    run: verify,
    needsKey: false,
  },
  'payments create': {
    about: 'create a payment',
    options: {
      cents: string('N', 'the price in US cents; 1000 when left out'),
      token: list('SOL|MINT', 'an accepted token, also several times; SOL when left out'),
      reference: string('TEXT', 'your id of the order: a repeat answers with the same payment'),
      description: string('TEXT', 'what the payment is for, as the buyer reads it'),
    },
    run: commands.createPayment,
  },
  'payments show': {
    args: '<index or id>',
    about: 'show a payment',
    options: { wait: string('STATUS', 'wait until it has had this status, such as swept') },
    run: commands.showPayment,
  },
  'payments list': {
    about: 'list payments, the newest first',
    options: {
      ...LIMIT,
      status: list('STATUS', 'only with this status, also several times'),
      search: string('TEXT', 'in the reference, the name and the email of the buyer'),
      cursor: string('CURSOR', 'the next page'),
    },
    run: commands.listPayments,
  },
  'payments pay': {
    args: '<index or id>',
    about: 'pay a payment of a sandbox, by a real transaction',
    options: { kind: string('KIND', 'exact, under, over or wrong_asset') },
    run: commands.payPayment,
  },
  'events list': {
    about: 'list the newest events',
    options: { ...LIMIT, type: string('TYPE', 'only of this type') },
    run: commands.listEvents,
  },
  'events show': { args: '<id>', about: 'show an event, as its webhook has it', run: commands.showEvent },
  'webhooks list': { about: 'list the webhook endpoints', run: commands.listWebhooks },
  'webhooks create': {
    args: '<url>',
    about: 'add an endpoint, and show its secret',
    options: { types: list('TYPES', 'only these types, with commas between them') },
    run: commands.createWebhook,
  },
  'webhooks test': {
    args: '<id>',
    about: 'send webhook.test to an endpoint, and show its answer',
    run: commands.testWebhook,
  },
  'webhooks delete': { args: '<id>', about: 'delete an endpoint', run: commands.deleteWebhook },
  'webhooks deliveries': {
    about: 'list what was sent to the endpoints, the newest first',
    options: { ...LIMIT, failed: flag('only what failed') },
    run: commands.listDeliveries,
  },
  'webhooks redeliver': {
    args: '<delivery>',
    about: 'send a delivery again, and show its answer',
    run: commands.redeliverWebhook,
  },
}

const GENERAL: Readonly<Record<string, Option>> = {
  key: string('KEY', 'the API key; SOLANA_PAYMENTS_KEY, or that of the sandbox in this directory'),
  url: string('URL', 'where the service is; SOLANA_PAYMENTS_URL, or the sandbox in this directory'),
  'data-dir': string('DIR', 'where `npm start` of a sandbox keeps its data; DATA_DIR, or .data'),
  json: flag('print JSON, for programs'),
  help: flag('show this'),
}

async function main(args: readonly string[]): Promise<void> {
  const words = args.filter((arg) => !arg.startsWith('-'))
  const name = [words.slice(0, 2).join(' '), words[0] ?? ''].find((one) => Object.hasOwn(COMMANDS, one))
  const command = name === undefined ? undefined : COMMANDS[name]
  if (name === undefined || command === undefined) {
    const isAsked = args.length === 0 || args.includes('--help')
    if (isAsked) return console.log(overview(words[0]))
    throw new CommandError(overview(words[0]), MISUSE)
  }
  const options = { ...command.options, ...GENERAL }
  const { values, positionals: all } = parsed(args, options)
  if (values.help === true) return console.log(helpOf(name, command))
  const positionals = all.slice(name.split(' ').length)
  if (positionals.length !== (command.args === undefined ? 0 : 1)) throw new CommandError(helpOf(name, command), MISUSE)
  const stopped = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopped.abort(new Stopped()))
  const output = new Output(values.json === true)
  const given = { values, positionals, output, signal: stopped.signal }
  await (command.needsKey === false ? command.run(given) : command.run(await contextFor(given)))
}

class Stopped extends Error {}

function parsed(args: readonly string[], options: Readonly<Record<string, Option>>) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true })
  } catch (error) {
    throw new CommandError(error instanceof Error ? error.message : String(error), MISUSE)
  }
}

function overview(first: string | undefined): string {
  const shown = Object.entries(COMMANDS).filter(([name]) => name.startsWith(`${first} `))
  const rows = (shown.length > 0 ? shown : Object.entries(COMMANDS)).map(
    ([name, { args = '', about }]) => [`${name} ${args}`, about] as const,
  )
  return `solana-payments <command> [options]\n\n${columns(rows)}\n\nsolana-payments <command> --help shows the options.`
}

function helpOf(name: string, { args = '', about, options = {}, more }: Command): string {
  const rows = Object.entries({ ...options, ...GENERAL }).map(
    ([option, { value = '', about: what }]) => [`--${option} ${value}`, what] as const,
  )
  return [
    `solana-payments ${name} ${args}`.trimEnd(),
    about,
    columns(rows),
    ...(more === undefined ? [] : [more]),
  ].join('\n\n')
}

function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([first]) => first.length))
  return rows.map(([first, second]) => `  ${first.padEnd(width)}  ${second}`).join('\n')
}

/** What to do about a failure, where the service's message does not say it. */
const ADVICE: Readonly<Record<string, string>> = {
  connection_failed: 'Is it running? --url or SOLANA_PAYMENTS_URL say where it is.',
  unauthenticated: '--key or SOLANA_PAYMENTS_KEY have the API key.',
  sandbox_only: 'Only a sandbox can do this: `npm start` without a chain of your own begins one.',
}

function messageOf(error: unknown): string {
  if (error instanceof SolanaPaymentsError) {
    const advice = ADVICE[error.code]
    const request = error.requestId === null ? '' : `, request ${error.requestId}`
    return `${error.message} (${error.code}${request})${advice === undefined ? '' : `\n${advice}`}`
  }
  return error instanceof CommandError
    ? error.message
    : error instanceof Error
      ? (error.stack ?? error.message)
      : String(error)
}

main(process.argv.slice(2)).then(
  () => process.exit(0),
  (error: unknown) => {
    if (error instanceof Stopped) process.exit(0)
    console.error(messageOf(error))
    process.exit(error instanceof CommandError ? error.exitCode : 1)
  },
)
