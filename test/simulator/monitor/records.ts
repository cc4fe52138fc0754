// Checks the records below a payment as GraphQL shows them: the money that arrived, and the money that was sent.
import { makeAddress, makeAsset, makeSignature } from '#core/chain/base58.ts'
import type { Address, Asset, Signature } from '#core/chain/types.ts'
import { type Check, type Figures, sum } from './figures.ts'
import type { Reported } from './reported.ts'

export type ShownRecords = {
  readonly deposits: readonly {
    readonly asset: Asset
    readonly amount: bigint
    readonly signature: Signature
  }[]
  readonly transfers: readonly {
    readonly kind: string
    readonly status: string
    readonly asset: Asset
    readonly signature: Signature | null
    readonly legs: readonly { readonly destination: Address; readonly moved: bigint | null }[]
  }[]
}

/** The largest page. A payment with more records is shown in several. */
const PAGE = 100

type Node = Readonly<Record<string, unknown>>
type Connection<T> = { readonly edges: readonly { readonly node: T }[] }
type Answer = {
  readonly paymentIntent: {
    readonly deposits: Connection<Node>
    readonly transfers: Connection<Node & { readonly legs: readonly Node[] }>
  }
}

export function readRecords(answer: unknown): ShownRecords {
  const { deposits, transfers } = (answer as Answer).paymentIntent
  return {
    deposits: deposits.edges.map(({ node: { asset, amount, signature } }) => ({
      asset: makeAsset(String(asset)),
      amount: BigInt(String(amount)),
      signature: makeSignature(String(signature)),
    })),
    transfers: transfers.edges.map(({ node: { kind, status, asset, signature, legs } }) => ({
      kind: String(kind),
      status: String(status),
      asset: makeAsset(String(asset)),
      signature: signature === null ? null : makeSignature(String(signature)),
      legs: legs.map(({ destination, movedAmount }) => ({
        destination: makeAddress(String(destination)),
        moved: movedAmount === null ? null : BigInt(String(movedAmount)),
      })),
    })),
  }
}

export function checkRecords(
  { evidence }: Figures,
  { address }: Pick<Reported, 'address'>,
  { deposits, transfers }: ShownRecords,
  check: Check,
): void {
  const rule = 'the records of a payment agree with the chain'
  for (const [key, own] of Map.groupBy(deposits, ({ signature, asset }) => `${signature} ${asset}`)) {
    const real = evidence.inflows(address).filter((one) => `${one.signature} ${one.asset}` === key)
    const [shown, came] = [own, real].map((ones) => sum(ones.map(({ amount }) => amount)))
    check(rule, shown === came, () => `${key}: ${shown} shown, and ${came} arrived`)
  }
  const missing = evidence
    .inflows(address)
    .filter((one) => evidence.isFinal(one.signature) && !deposits.some(({ signature }) => signature === one.signature))
  const isWhole = deposits.length === PAGE || missing.every(({ asset }) => !deposits.some((one) => one.asset === asset))
  check(
    rule,
    isWhole,
    () => `not shown: ${missing.map(({ signature, amount }) => `${signature} ${amount}`).join(', ')}`,
  )
  for (const { kind, status, asset, signature, legs } of transfers) {
    const outflow = status === 'done' && signature !== null ? evidence.outflow(address, asset, signature) : null
    for (const [wallet, own] of Map.groupBy(legs, ({ destination }) => destination)) {
      const shown = own.every(({ moved }) => moved === null) ? null : sum(own.map(({ moved }) => moved ?? 0n))
      const real = outflow === null ? null : (outflow.arrived.get(wallet) ?? 0n)
      check(rule, shown === real, () => `${kind} of ${asset}: ${shown} to ${wallet}, where ${real} arrived`)
    }
  }
}
