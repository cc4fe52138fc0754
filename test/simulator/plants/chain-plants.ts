// Mistakes in reading the chain: trusting uncertain data, skipping a proof, missing a payment.
import { memosOf } from '#adapters/solana/rpc/memos.ts'
import { observedTransaction } from '#adapters/solana/rpc/observed-transaction.ts'
import { didNotRun, type ObservedTransaction, type Signature, type SignatureStatus } from '#core/chain/types.ts'
import { makeBaseUnits } from '#core/money/amounts.ts'
import type { SimulatedNode } from '../chain/node.ts'
import { type InstancePorts, replaced } from '../ports.ts'
import { virtualNow } from '../virtual-time.ts'
import type { Plant } from './plant.ts'

const withChain = (ports: InstancePorts, patch: Partial<InstancePorts['chain']>): InstancePorts => ({
  ...ports,
  chain: replaced(ports.chain, patch),
})

const asFinal = (status: SignatureStatus | null): SignatureStatus | null =>
  status === null ? null : { ...status, final: true }

/** Returns the transaction with altered incoming amounts. */
const withInbound = (
  transaction: ObservedTransaction | null,
  change: (amount: bigint) => bigint,
): ObservedTransaction | null =>
  transaction === null
    ? null
    : {
        ...transaction,
        changes: transaction.changes.map((one) =>
          one.after > one.before ? { ...one, after: makeBaseUnits(one.before + change(one.after - one.before)) } : one,
        ),
      }

function callsFinal({ answer }: SimulatedNode, signature: Signature): boolean {
  try {
    const { value } = answer('getSignatureStatuses', [[signature]]) as { value: readonly { confirmations: unknown }[] }
    return value[0]?.confirmations === null
  } catch {
    return false
  }
}

/** Returns the transaction as one node has it. */
function readFrom({ answer }: SimulatedNode, signature: Signature): ObservedTransaction | null {
  const read = answer('getTransaction', [signature, {}]) as Parameters<typeof observedTransaction>[1] | null
  return read && observedTransaction(signature, read, memosOf(read.transaction.message))
}

const aMinuteAfter = (time: Date): Date => new Date(time.getTime() + 60_000)

export const CHAIN_PLANTS: readonly Plant[] = [
  {
    name: 'landed-payment-ignored',
    mistake:
      'A request does not see what has landed at the address of its payment, so that another asset can be selected.',
    above: (ports) => ({
      ...ports,
      arrivals: {
        async readAccounts(asked) {
          const { slot } = await ports.arrivals.readAccounts(asked)
          return { slot, states: asked.map(() => null) }
        },
      },
    }),
  },
  {
    name: 'not-run-taken-for-success',
    mistake: 'A transaction that is in a block and did not run is read as successful.',
    above: (ports) =>
      withChain(ports, {
        async transaction(signature) {
          const read = await ports.chain.transaction(signature)
          return read !== null && didNotRun(read) ? { ...read, error: null } : read
        },
      }),
  },
  {
    name: 'one-provider-believed',
    mistake: 'A transaction is final as soon as one provider says so.',
    above(ports, { nodes }) {
      const isCalledFinal = (signature: Signature): boolean => nodes.some((node) => callsFinal(node, signature))
      return withChain(ports, {
        async signatureStatuses(signatures) {
          const statuses = await ports.chain.signatureStatuses(signatures)
          return statuses.map((status, at) => {
            const signature = signatures[at]
            return signature !== undefined && isCalledFinal(signature) ? asFinal(status) : status
          })
        },
        async transaction(signature) {
          const believed = nodes.find((node) => callsFinal(node, signature))
          return believed === undefined ? ports.chain.transaction(signature) : readFrom(believed, signature)
        },
        finalDoubts: async () => new Map(),
      })
    },
  },
  {
    name: 'proof-skipped',
    mistake: 'A transaction counts as expired without proof when its blockhash has expired.',
    above: (ports) => withChain(ports, { proveExpired: async () => ({ expired: true, providers: 0 }) }),
  },
  {
    name: 'not-yet-is-expired',
    mistake: 'The service does not wait for a proof that is not available yet.',
    above: (ports) =>
      withChain(ports, {
        async proveExpired(attempt) {
          const proof = await ports.chain.proveExpired(attempt)
          return proof.expired || proof.because === 'landed' ? proof : { expired: true, providers: 1 }
        },
      }),
  },
  {
    name: 'expiry-by-wall-clock',
    mistake: 'A window ends by the machine’s clock.',
    above: (ports) =>
      withChain(ports, {
        async blockTime() {
          const { slot } = await ports.chain.blockTime()
          return { slot, time: ports.clock.now() }
        },
      }),
  },
  {
    name: 'expiry-a-minute-early',
    mistake: 'A window is a minute shorter than shown.',
    above: (ports) => ({
      ...withChain(ports, {
        async blockTime() {
          const { slot, time } = await ports.chain.blockTime()
          return { slot, time: aMinuteAfter(time) }
        },
      }),
      work: replaced(ports.work, {
        expired: (network, before, page) => ports.work.expired(network, aMinuteAfter(before), page),
      }),
    }),
  },
  {
    name: 'deposit-counted-twice',
    mistake: 'Incoming money is counted from both sides of the transaction.',
    above: (ports) =>
      withChain(ports, {
        transaction: async (signature) =>
          withInbound(await ports.chain.transaction(signature), (amount) => amount * 2n),
      }),
  },
  {
    name: 'deposit-forgotten',
    mistake: 'A page of the history is left out.',
    above: (ports) =>
      withChain(ports, {
        async signatures(account, options) {
          const { entries, next } = await ports.chain.signatures(account, options)
          return { entries: entries.filter(({ signature }) => !signature.startsWith('3')), next }
        },
      }),
  },
  {
    name: 'late-deposits-unwatched',
    mistake: 'An address is no longer read after an hour, not even for the comparison with the ledger.',
    above: (ports) => {
      const firstRead = new Map<string, number>()
      return withChain(ports, {
        async readAccounts(accounts) {
          const { slot, states } = await ports.chain.readAccounts(accounts)
          const now = virtualNow()
          const isOld = (account: string): boolean => {
            firstRead.set(account, firstRead.get(account) ?? now)
            return now - (firstRead.get(account) ?? now) > 3_600_000
          }
          return { slot, states: states.map((state, at) => (isOld(accounts[at] ?? '') ? null : state)) }
        },
      })
    },
  },
  {
    name: 'refund-to-wrong-sender',
    mistake: 'The second account of the transaction counts as the sender.',
    above: (ports) =>
      withChain(ports, {
        async transaction(signature) {
          const read = await ports.chain.transaction(signature)
          if (read === null) return null
          const other = read.changes.findLast(({ owner }) => !read.signers.includes(owner))?.owner ?? read.feePayer
          const swap = (owner: typeof other) => (read.signers.includes(owner) && owner !== other ? STRANGER : owner)
          return {
            ...read,
            signers: read.signers.map(swap),
            feePayer: swap(read.feePayer),
            changes: read.changes.map((one) => ({ ...one, owner: swap(one.owner) })),
          }
        },
      }),
  },
  {
    name: 'broadcast-forgotten',
    mistake: 'A signed transaction is not sent.',
    above: (ports) => withChain(ports, { broadcast: async () => {} }),
  },
  {
    name: 'legs-shifted-by-compiler',
    mistake: 'A lamport moves from one leg to another between plan and transaction, and the signer does not check.',
    above: (ports) => ({
      ...withChain(ports, {
        compile: (plan, seen) =>
          ports.chain.compile(plan.kind === 'legs' ? { ...plan, legs: shifted(plan.legs) } : plan, seen),
      }),
      signer: replaced(ports.signer, {
        sign: (plan, message) =>
          ports.signer.sign(plan.kind === 'legs' ? { ...plan, legs: shifted(plan.legs) } : plan, message),
      }),
    }),
  },
]

const STRANGER = 'StrangerStrangerStrangerStrangerStranger111' as ObservedTransaction['feePayer']

const shifted = <T extends { readonly amount: bigint }>(legs: readonly T[]): T[] =>
  legs.map((leg, at) => ({ ...leg, amount: at === 0 ? leg.amount - 1n : at === 1 ? leg.amount + 1n : leg.amount }))
