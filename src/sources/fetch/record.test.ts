/** Recordings of requests, their replay, and the replacement of names and addresses. */
import { describe, expect, test } from 'bun:test'
import type { Outbound, OutboundRequest } from '../../base/security/outbound.ts'
import { anonymizeCase } from './anonymize.ts'
import { createRecorder, type RecordedCase } from './record.ts'
import { createReplay } from './testing/replay.ts'

const SECRET = 'a<secret&1'
const URL_OF_SOURCE = 'https://system.test/base'

const createSend =
  (body: string | Uint8Array, status = 200): Outbound['exchange'] =>
  async () => ({
    status,
    body: typeof body === 'string' ? new TextEncoder().encode(body) : body,
    isCut: false,
    headers: new Headers({ 'set-cookie': 'session=abc' }),
  })
const createRequest = (url: string, more: Partial<OutboundRequest> = {}): OutboundRequest => ({
  url,
  method: 'GET',
  headers: { authorization: SECRET },
  timeoutMs: 1000,
  ...more,
})
const record = async (request: OutboundRequest, body: string | Uint8Array, secrets = { password: SECRET }) => {
  const recorder = createRecorder(createSend(body), { url: URL_OF_SOURCE, secrets })
  await recorder.send(request)
  return recorder.answers()
}
const post = (text: string) =>
  createRequest(`${URL_OF_SOURCE}/sdk`, { method: 'POST', body: new TextEncoder().encode(text) })

describe('a recording', () => {
  test('has the path, the status and the JSON, and no header', async () => {
    expect(await record(createRequest(`${URL_OF_SOURCE}/a?b=c`), '{"x": [1]}')).toEqual([
      { method: 'GET', path: '/base/a?b=c', status: 200, json: { x: [1] } },
    ])
  })

  test('has the whole URL of another origin', async () => {
    expect((await record(createRequest('https://region.test/'), 'x'))[0]?.path).toBe('https://region.test/')
  })

  test('has texts, and bytes that are no text', async () => {
    expect(await record(createRequest(`${URL_OF_SOURCE}/`), '<a/>')).toMatchObject([{ text: '<a/>' }])
    expect(await record(createRequest(`${URL_OF_SOURCE}/`), new Uint8Array([255, 0]))).toMatchObject([
      { base64: '/wA=' },
    ])
  })

  test('has no secret of a request or an answer, in any form', async () => {
    const sent = `<login><password>a&lt;secret&amp;1</password></login>`
    const [answer] = await record(post(sent), JSON.stringify({ echo: SECRET, form: encodeURIComponent(SECRET) }))
    expect(answer).toMatchObject({
      request: '<login><password>***</password></login>',
      json: { echo: '***', form: '***' },
    })
  })

  test('keeps the order of the requests', async () => {
    const first = Promise.withResolvers<void>()
    const send: Outbound['exchange'] = async (request) => {
      if (request.url.endsWith('/1')) await first.promise
      return createSend('x')(request)
    }
    const recorder = createRecorder(send, { url: URL_OF_SOURCE, secrets: {} })
    const slow = recorder.send(createRequest(`${URL_OF_SOURCE}/1`))
    await recorder.send(createRequest(`${URL_OF_SOURCE}/2`))
    first.resolve()
    await slow
    expect(recorder.answers().map(({ path }) => path)).toEqual(['/base/1', '/base/2'])
  })
})

describe('a replay', () => {
  const answers: RecordedCase['answers'] = [
    { method: 'GET', path: '/base/a', status: 200, json: 1 },
    { method: 'GET', path: '/base/a', status: 404, text: 'gone' },
    { method: 'POST', path: '/base/sdk', request: '<p>***</p>', status: 200, text: '<ok/>' },
  ]
  const recorded: RecordedCase = { url: URL_OF_SOURCE, options: {}, secrets: { password: SECRET }, now: '', answers }
  const ask = async (send: Outbound['exchange'], request: OutboundRequest) => {
    const { status, body } = await send(request)
    return [status, Buffer.from(body).toString()]
  }

  test('gives the answers of one request in their order, and the last again', async () => {
    const send = createReplay(recorded)
    const request = createRequest(`${URL_OF_SOURCE}/a`)
    expect([await ask(send, request), await ask(send, request), await ask(send, request)]).toEqual([
      [200, '1'],
      [404, 'gone'],
      [404, 'gone'],
    ])
  })

  test('finds a request by its body without the secrets', async () => {
    expect(await ask(createReplay(recorded), post('<p>a&lt;secret&amp;1</p>'))).toEqual([200, '<ok/>'])
  })

  test('refuses a request that was not recorded', async () => {
    await expect(createReplay(recorded)(post('<p>other</p>'))).rejects.toThrow('Not recorded')
  })
})

describe('an anonymized case', () => {
  const anonymize = (json: unknown, path = '/') => {
    const plain: RecordedCase = {
      url: 'https://10.20.30.40:8006',
      options: {},
      secrets: {},
      now: '',
      // Any JSON.
      answers: [{ method: 'GET', path, status: 200, json: json as null }],
    }
    const { url, answers } = anonymizeCase(plain)
    const [answer] = answers
    return { url, path: answer?.path, json: answer && 'json' in answer ? answer.json : undefined }
  }

  test('has one replacement for a name, also in paths and keys', () => {
    const { json, path } = anonymize(
      { name: 'mars-pve', list: [{ Names: ['/mars-pve', '/venus'] }], networks: { venus: { note: 'on mars-pve.' } } },
      '/nodes/mars-pve/qemu',
    )
    expect(JSON.stringify([json, path])).not.toMatch(/mars|venus/)
    expect(path).toBe('/nodes/name-1/qemu')
    expect(json).toEqual({
      name: 'name-1',
      list: [{ Names: ['/name-1', '/name-2'] }],
      networks: { 'name-2': { note: 'on name-1.' } },
    })
  })

  test('keeps names that the API gives itself', () => {
    expect(anonymize([{ Name: 'bridge' }, { name: 'eth0' }, { name: 'kube-system' }]).json).toEqual([
      { Name: 'bridge' },
      { name: 'eth0' },
      { name: 'kube-system' },
    ])
  })

  test('keeps an address in its network, and the length of the network', () => {
    expect(anonymize(['10.20.0.0/16', '10.20.30.41', '192.168.7.0/24', '192.168.7.9', '10.0.0.0/8'])).toEqual({
      url: 'https://10.1.30.40:8006',
      path: '/',
      json: ['10.1.0.0/16', '10.1.30.41', '10.2.7.0/24', '10.2.7.9', '10.0.0.0/8'],
    })
  })

  test('keeps special addresses, versions and numbers', () => {
    const texts = ['127.0.0.1', '0.0.0.0', '255.255.255.0', '4.3.1', '1.2.3.4.5', 'fe80::1', '::1', '12:30:00']
    expect(anonymize(texts).json).toEqual(texts)
  })

  test('replaces IPv6 sites and the ends of MAC addresses', () => {
    expect(
      anonymize(['2a01:4f8:1:2::3', '2a01:4f8:1:9::4', 'bc:24:11:2e:c5:4a', 'virtio=BC:24:11:2E:C5:4A,bridge=vmbr0'])
        .json,
    ).toEqual(['2001:db8:1:2::3', '2001:db8:1:9::4', 'bc:24:11:00:00:01', 'virtio=BC:24:11:00:00:01,bridge=vmbr0'])
  })
})
