import { expect, test } from 'vitest'
import { judgeWebhookUrl, MAX_WEBHOOK_URL_LENGTH } from '#core/events/url.ts'

test.each([
  ['https://shop.example/hooks?a=b', null],
  ['https://shop.example:8443/hooks', null],
  ['https://8.8.8.8/', null],
  ['https://[2606:4700::1111]/', null],
  ['https://1e100.net/', null],
  ['http://shop.example/', 'not_https'],
  ['ftp://shop.example/', 'not_https'],
  ['file:///etc/passwd', 'not_https'],
  ['shop.example/hooks', 'not_a_url'],
  ['', 'not_a_url'],
  ['https://user:secret@shop.example/', 'has_credentials'],
  ['https://user@shop.example/', 'has_credentials'],
  ['https://127.0.0.1/', 'private_address'],
  ['https://0x7f.1/', 'private_address'],
  ['https://2130706433/', 'private_address'],
  ['https://127.0.0.1./', 'private_address'],
  ['https://[::1]/', 'private_address'],
  ['https://[::ffff:10.0.0.1]/', 'private_address'],
  ['https://169.254.169.254/latest/meta-data', 'private_address'],
  ['https://localhost/', 'private_address'],
  ['https://LOCALHOST./', 'private_address'],
  ['https://api.localhost/', 'private_address'],
  [`https://shop.example/${'a'.repeat(MAX_WEBHOOK_URL_LENGTH)}`, 'too_long'],
  [`https://shop.example/${'ü'.repeat(1_000)}`, 'too_long'],
])('%s as a webhook URL: %s', (text, refusal) => {
  const judged = judgeWebhookUrl(text, { allowPrivate: false })
  expect('refused' in judged ? judged.refused : null).toBe(refusal)
})

test.each(['http://127.0.0.1:4010/hook', 'http://localhost/', 'https://192.168.1.4/', 'http://shop.example/'])(
  '%s is allowed where private addresses are',
  (text) => {
    expect(judgeWebhookUrl(text, { allowPrivate: true })).toEqual({ url: new URL(text) })
  },
)

test.each([
  ['http://user:secret@localhost/', 'has_credentials'],
  ['ws://localhost/', 'not_https'],
])('%s is refused even there: %s', (text, refused) => {
  expect(judgeWebhookUrl(text, { allowPrivate: true })).toEqual({ refused })
})

test.each([
  ['https:///shop.example/hook', 'https://shop.example/hook'],
  ['https://shop.example\\@evil.example/', 'https://shop.example/@evil.example/'],
  ['https://shop.exa\nmple/hook', 'https://shop.example/hook'],
  ['https://bücher.example./', 'https://xn--bcher-kva.example./'],
])('%j is called as %s', (text, href) => {
  const judged = judgeWebhookUrl(text, { allowPrivate: false })
  expect('url' in judged ? judged.url.href : judged).toBe(href)
  expect(judgeWebhookUrl(href, { allowPrivate: false })).toEqual(judged)
})
