// Which failures of a wallet that sends by itself mean that nothing was sent: only then the page offers to pay again.
import { expect, test } from 'vitest'
import { isRefusal } from '#pay/browser/wallets.ts'

test.each([
  new Error('User rejected the request.'),
  new Error('Approval Denied'),
  new Error('The user declined'),
  { message: 'Unexpected error', code: 4001 },
])('the person has refused: %s', (error) => {
  expect(isRefusal(error)).toBe(true)
})

test.each([
  new TypeError('Failed to fetch'),
  new Error('connect ECONNREFUSED 127.0.0.1:8899'),
  new Error('Connection refused'),
  new Error('The operation was cancelled'),
  new Error('Confirmation failed: subscription was canceled'),
  new Error('RPC node rejected the status request'),
  'closed',
  null,
])('it may have been sent: %s', (error) => {
  expect(isRefusal(error)).toBe(false)
})
