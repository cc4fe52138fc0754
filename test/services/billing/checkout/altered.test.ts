// Whatever a wallet returns in the place of the prepared approve: the checkout refuses it, and nothing of it is stored or sent.
// ALTERED_ACTIVATIONS sets the number of altered transactions; the number in every run is small.
import { randomInt } from 'node:crypto'
import { type KeyPairSigner, signBytes } from '@solana/kit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { associatedTokenAddress } from '#adapters/solana/keys/associated-token.ts'
import { alteredApproves } from '../../../support/approves.ts'
import { UNIT } from '../../../support/charging-world.ts'
import { prepareApprove, signedBy, startCheckoutWorld } from '../../../support/checkout-world.ts'
import { until } from '../../../support/until.ts'

const COUNT = Number(process.env.ALTERED_ACTIVATIONS ?? 300)
/** The database reads for some while the others are decoded and signed. */
const AT_ONCE = 8
const SEED = Number(process.env.APPROVE_SEED ?? randomInt(1, 2 ** 31))

let world: Awaited<ReturnType<typeof startCheckoutWorld>>
beforeAll(async () => {
  world = await startCheckoutWorld()
})
afterAll(() => world.stop())

const signing = (owner: KeyPairSigner) => async (message: Uint8Array) =>
  Uint8Array.from(await signBytes(owner.keyPair.privateKey, message))

test(`activate refuses ${COUNT} altered transactions of an approve, and takes one as it was prepared (seed ${SEED})`, {
  timeout: 7_200_000,
}, async () => {
  const tier = await world.tier(await world.addBusiness())
  const prepared = async () => {
    const owner = await world.wallet(20n * UNIT, 0n)
    const checkout = await world.open(tier)
    return { owner, ...checkout, offer: await prepareApprove(world.services, checkout.token, owner.address) }
  }
  const [{ owner, token, id, offer }, stranger] = [await prepared(), await prepared()]
  const { mint } = world
  const approve = {
    good: await signedBy(owner, offer),
    owner: owner.address,
    account: associatedTokenAddress(owner.address, mint.mint, mint.tokenProgram),
    sign: signing(owner),
    strangerSigns: signing(stranger.owner),
    twin: await signedBy(owner, stranger.offer),
  }
  const activate = (transaction: Uint8Array) =>
    world.services.activateCheckout(token, { subscriptionId: offer.subscriptionId, transaction })
  const answers = new Map<string, number>()
  const tryOne = async ({ kind, wire }: { kind: string; wire: Uint8Array }) => {
    const answer = await activate(wire).then(
      () => `accepted: ${kind}`,
      ({ code }) => String(code),
    )
    answers.set(answer, (answers.get(answer) ?? 0) + 1)
  }
  const altered = alteredApproves(approve, { seed: SEED, count: COUNT })
  const tryAll = async () => {
    for (let next = await altered.next(); next.done !== true; next = await altered.next()) await tryOne(next.value)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, tryAll))
  process.stdout.write(
    `${COUNT} altered: ${[...answers].map(([answer, count]) => `${count} ${answer}`).join(', ')}; seed ${SEED}\n`,
  )
  expect([...answers.keys()]).toEqual(['invalid_signature'])
  expect((await world.approvals(id)).map(({ state, wire }) => [state, wire])).toEqual([['prepared', null]])
  // The first one may have expired meanwhile.
  const last = await prepared()
  const given = { subscriptionId: last.offer.subscriptionId, transaction: await signedBy(last.owner, last.offer) }
  await until(async () => (await world.services.activateCheckout(last.token, given)).status === 'completed')
})
