// Messages by e-mail, taken and refused by a mail server.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { ask } from '../../../testing/estates/inventory.ts'
import { type MailReceiver, startMailReceiver } from '../../../testing/mail-receiver.ts'
import { until } from '../../../testing/until.ts'
import { parseSmtpUrl } from '../../base/config/mail-variables.ts'
import type { Delivery } from '../webhooks/schema.ts'
import { createMailer } from './mail.ts'

const TIMEOUT_MS = 60_000
const ID = '01a22a3b-8cb4-72c4-9e4e-45d4f2212cfa'
const MAIL = {
  ...{ id: ID, url: 'mailto:a@example.com', timeoutMs: 5000, userAgent: 'Plat/0' },
  body: JSON.stringify({ subject: 'subject', text: 'text' }),
}

/** Returns the value of a header field, unfolded (RFC 5322 2.2.3). */
const headerOf = (data: string, name: string): string | undefined =>
  new RegExp(`^${name}: (.*(?:\\r\\n[ \\t].*)*)`, 'im').exec(data)?.[1]?.replace(/\r\n[ \t]/g, ' ')

describe('mails', () => {
  let app: TestApp
  let admin: TestCaller
  let to: MailReceiver
  beforeAll(async () => {
    to = await startMailReceiver()
    app = await testApp({
      env: {
        ...{ SMTP_URL: `smtp://127.0.0.1:${to.port}`, SMTP_FROM: 'Plat <plat@example.com>' },
        PUBLIC_URL: 'https://plat.example',
      },
    })
    admin = await app.as('admin')
  }, TIMEOUT_MS)
  afterAll(async () => {
    await app.close()
    await to.close()
  }, TIMEOUT_MS)

  let names = 0
  const channel = (more: object = {}) =>
    admin.api.webhooks.create({
      ...{ name: `mail ${++names}`, url: 'mailto:noc@example.com,oncall@example.com', format: 'email' as const },
      ...{ events: ['device.created' as const], group_seconds: 0, timeout_seconds: 5 },
      ...more,
    })
  const attempted = (id: string): Promise<Delivery> =>
    until('the first attempt', async () =>
      (await admin.api.webhooks.deliveries({ id })).find((one) => one.attempt_number === 1),
    )

  test('have a text, HTML, all recipients, and the id of the delivery', async () => {
    const { id } = await channel()
    const device = await admin.api.devices.create({ name: 'core <b>switch</b>' })
    const delivery = await attempted(id)
    expect(delivery).toMatchObject({
      ...{ status: 'success', response_code: 250, response_body: '250 queued as 1' },
      payload: {
        subject: '[Plat] Device created',
        text: `Device created\n\n• Device core <b>switch</b> (active) was added\n  https://plat.example/devices/${device.id}\n\nhttps://plat.example/devices/${device.id}`,
      },
    })
    const mail = to.received.at(-1)
    const data = mail?.data ?? ''
    expect(mail).toMatchObject({ from: 'plat@example.com', to: ['noc@example.com', 'oncall@example.com'] })
    expect(headerOf(data, 'Message-ID')).toBe(`<${delivery.id}@example.com>`)
    expect(headerOf(data, 'Auto-Submitted')).toBe('auto-generated')
    expect(headerOf(data, 'Subject')).toBe('[Plat] Device created')
    expect(headerOf(data, 'From')).toBe('Plat <plat@example.com>')
    expect(Math.abs(Date.parse(headerOf(data, 'Date') ?? '') - Date.now())).toBeLessThan(TIMEOUT_MS)
    expect(data).toContain('Content-Type: text/plain')
    expect(data).toContain('Content-Type: text/html')
    expect(data.replaceAll('=\r\n', '')).not.toContain('<b>switch</b></a>')
    expect(data.replaceAll('=\r\n', '')).toContain('core &lt;b&gt;switch')
    await admin.api.webhooks.delete({ id })
  })

  test('take no header from the name of an object', async () => {
    const { id } = await channel()
    await admin.api.devices.create({ name: 'x\r\nBcc: everyone@example.com\r\nSubject: other' })
    const delivery = await attempted(id)
    expect(delivery.status).toBe('success')
    const mail = to.received.at(-1)
    expect(mail?.to).toEqual(['noc@example.com', 'oncall@example.com'])
    expect(headerOf(mail?.data ?? '', 'Bcc')).toBeUndefined()
    expect(mail?.data.match(/^Subject:/gim)).toHaveLength(1)
    await admin.api.webhooks.delete({ id })
  })

  test('that the server takes later are tried again, with the same Message-ID', async () => {
    to.answer('later')
    const { id } = await channel()
    await admin.api.devices.create({ name: `host ${++names}` })
    const first = await attempted(id)
    expect(first).toMatchObject({ status: 'retrying', response_code: 450 })
    expect(first.response_body).toStartWith('450 4.2.1')
    to.answer('take')
    const count = to.received.length
    await admin.api.webhooks.redeliver({ id, delivery_id: first.id })
    await until('the second attempt', () => to.received.length > count || undefined)
    expect(headerOf(to.received.at(-1)?.data ?? '', 'Message-ID')).toBe(`<${first.id}@example.com>`)
    await admin.api.webhooks.delete({ id })
  })

  test('that the server refuses fail at once', async () => {
    to.answer('refuse')
    const { id } = await channel()
    await admin.api.devices.create({ name: `host ${++names}` })
    expect(await attempted(id)).toMatchObject({ status: 'failed', response_code: 550, next_retry: null })
    to.answer('take')
    await admin.api.webhooks.delete({ id })
  })

  test('that the server refuses for one recipient reach the others, and the answer names the one', async () => {
    const { id } = await channel({ url: 'mailto:unknown@example.com,oncall@example.com' })
    const { delivery } = await admin.api.webhooks.ping({ id })
    expect(delivery).toMatchObject({ status: 'success', response_code: 250 })
    expect(delivery.response_body).toMatch(/unknown@example.com: .*550 5.1.1 no such user/)
    expect(to.received.at(-1)?.to).toEqual(['oncall@example.com'])
    await admin.api.webhooks.delete({ id })
  })

  test('to a server that never greets end with the timeout', async () => {
    to.answer('silent')
    const { id } = await channel({ timeout_seconds: 1 })
    const { message, delivery } = await admin.api.webhooks.ping({ id })
    expect(delivery).toMatchObject({ status: 'failed', response_code: null })
    expect(message).toStartWith('The test delivery failed')
    to.answer('take')
    await admin.api.webhooks.delete({ id })
  })

  test.each([
    ['https://example.com/', 'must be mailto: and e-mail addresses'],
    ['mailto:', 'has an invalid e-mail address'],
    ['mailto:a@example.com,', 'has an invalid e-mail address'],
    ['mailto:a@example.com?bcc=b@example.com', 'has an invalid e-mail address'],
    ['mailto:a@example.com%0d%0aBcc:b@example.com', 'has an invalid e-mail address'],
    ['mailto:"a b"@example.com', 'has an invalid e-mail address'],
    ['mailto:<a@example.com>', 'has an invalid e-mail address'],
    [`mailto:${Array.from({ length: 51 }, (_, n) => `a${n}@example.com`).join(',')}`, 'must have at most 50'],
  ])('to %s are refused at the url', async (url, message) => {
    const { status, body } = await ask(admin, 'POST /api/webhooks', {
      ...{ name: 'refused', url, format: 'email', events: ['device.created'] },
    })
    expect(status).toBe(400)
    const [issue] = (body as { details: { field: string; message: string }[] }).details
    expect([issue?.field, issue?.message]).toEqual(['url', expect.stringContaining(message)])
  })
})

test('a server without SMTP refuses the format, and names the variables', async () => {
  const app = await testApp()
  const admin = await app.as('admin')
  const draft = { name: 'x', url: 'mailto:a@example.com', format: 'email', events: ['device.created'] }
  expect(await ask(admin, 'POST /api/webhooks', draft)).toMatchObject({
    status: 400,
    body: { details: [{ field: 'format', message: 'email needs SMTP_URL, which is not set on this server' }] },
  })
  await app.close()
}, 60_000)

describe('a mail server with TLS', () => {
  let to: MailReceiver
  beforeAll(async () => {
    to = await startMailReceiver({ isSecure: true })
  }, TIMEOUT_MS)
  afterAll(() => to.close())
  const send = (url: string) => createMailer({ smtpUrl: parseSmtpUrl(url), smtpFrom: 'plat@example.com' })?.send(MAIL)

  test('with a certificate that cannot be verified gets no mail', async () => {
    const answer = await send(`smtps://localhost:${to.port}`)
    expect(answer?.code).toBeUndefined()
    expect(answer?.error).toMatch(/self[- ]signed certificate/i)
    expect(to.received).toEqual([])
  })

  test('gets mails with any certificate if the setting says so', async () => {
    expect(await send(`smtps://localhost:${to.port}?verify=false`)).toMatchObject({ code: 250, error: '' })
    expect(to.received).toHaveLength(1)
  })
})

test('no password is sent to a server without encryption', async () => {
  const to = await startMailReceiver()
  const mailer = createMailer({
    smtpUrl: parseSmtpUrl(`smtp://user:pass@127.0.0.1:${to.port}`),
    smtpFrom: 'plat@example.com',
  })
  const answer = await mailer?.send(MAIL)
  expect(answer?.error).not.toBe('')
  expect(to.received).toEqual([])
  await to.close()
})

test('a delivery that was made for another format is no mail', async () => {
  const mailer = createMailer({ smtpUrl: parseSmtpUrl('smtp://127.0.0.1:9'), smtpFrom: 'plat@example.com' })
  expect(await mailer?.send({ ...MAIL, body: '{"text":"x","blocks":[]}' })).toMatchObject({
    error: 'was made for another format',
  })
})
