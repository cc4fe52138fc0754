// The branches of the seed: m/44'/coin'/account'/intent', with coin 501 for the live network and 1 for the test
// network. Account 0 is never issued to a business: it holds the service's own keys.

import type { KeyPath } from '#core/chain/keys.ts'
import { addressOfBytes } from '#core/chain/public-key.ts'
import type { Address, Network } from '#core/chain/types.ts'
import { createLru } from '#lib/lru.ts'
import {
  childNode,
  type KeyNode,
  masterNode,
  masterNodeByOpenSsl,
  publicHalf,
  publicKeyBytes,
  signingKey,
} from './slip10.ts'

const PURPOSE = 44
const COINS: Record<Network, number> = { live: 501, test: 1 }
const SERVICE_ACCOUNT = 0
const SERVICE_KEYS: Record<Exclude<KeyPath['branch'], 'deposit'>, number> = {
  fee_payer: 0,
  delegate: 1,
}
/** The child of the service account under which the keys of receipts are, by version. It signs no transaction. */
const RECEIPTS = 2
/** Account nodes in memory, so that another address of a busy account takes one step and not five. */
const CACHED_ACCOUNTS = 4096

export type KeyTree = {
  /** Returns the private node of a path. Throws RangeError for account 0 or intent 0, which are never issued. */
  nodeOf(path: KeyPath): KeyNode
  /** Returns the address of a path. Throws as `nodeOf` does. */
  addressOf(path: KeyPath): Address
  /** Returns the private node that signs receipts: m/44'/501'/0'/2'/version'. */
  receiptNode(version: number): KeyNode
}

export function createKeyTree(seed: Uint8Array): KeyTree {
  const master = masterNode(seed)
  const purpose = childNode(master, PURPOSE)
  const coins: Record<Network, KeyNode> = {
    live: childNode(purpose, COINS.live),
    test: childNode(purpose, COINS.test),
  }
  const accounts = createLru<string, KeyNode>(CACHED_ACCOUNTS)

  const accountNode = (network: Network, account: number): KeyNode => {
    const name = `${network}/${account}`
    const known = accounts.get(name)
    if (known !== undefined) return known
    const node = childNode(coins[network], account)
    accounts.set(name, node)
    return node
  }

  const nodeOf = (path: KeyPath): KeyNode => {
    if (path.branch !== 'deposit')
      return childNode(accountNode(path.network, SERVICE_ACCOUNT), SERVICE_KEYS[path.branch])
    if (path.account === SERVICE_ACCOUNT) throw new RangeError('account 0 holds the service keys and takes no deposits')
    if (path.intent === 0) throw new RangeError('intent index 0 is never issued')
    return childNode(accountNode(path.network, path.account), path.intent)
  }

  // One library derives the keys and addresses, and another signs for them. If they differed, every payment would be lost.
  if (!master.key.equals(masterNodeByOpenSsl(seed).key))
    throw new Error('this machine’s libsodium and OpenSSL derive two keys from one seed: nothing can be received here')
  for (const node of Object.values(coins))
    if (!Buffer.from(publicKeyBytes(node)).equals(publicHalf(signingKey(node))))
      throw new Error('this machine’s libsodium and OpenSSL give one key two addresses: nothing can be received here')

  return {
    nodeOf,
    addressOf: (path) => addressOfBytes(publicKeyBytes(nodeOf(path))),
    receiptNode: (version) => childNode(childNode(accountNode('live', SERVICE_ACCOUNT), RECEIPTS), version),
  }
}
