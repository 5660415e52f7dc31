/** Requests to AWS: endpoints, pages, and errors with the codes of runs. */
import { describe, expect, test } from 'bun:test'
import { createAsk } from '../../fetch/ask.ts'
import { FetchError } from '../../fetch/fetch-error.ts'
import { FetchLog } from '../../fetch/fetch-log.ts'
import { AwsClient, DEFAULT_URL } from './client.ts'
import { aws } from './kind.ts'

const SECRETS = { access_key_id: 'AKIDEXAMPLE', secret_access_key: 'a secret of nobody' }

type Reply = { readonly status?: number; readonly body: string; readonly headers?: Record<string, string> }
type Sent = { readonly url: string; readonly form: URLSearchParams; readonly authorization: string }

/** A client that gets the replies in order, the last one again and again. */
const createClient = (replies: readonly Reply[], url = DEFAULT_URL) => {
  const sent: Sent[] = []
  const ask = createAsk({
    url,
    kind: aws,
    log: new FetchLog(SECRETS),
    timeoutMs: 60_000,
    send: async ({ url: asked, body, headers }) => {
      const { authorization = '' } = headers ?? {}
      sent.push({ url: asked, form: new URLSearchParams(new TextDecoder().decode(body)), authorization })
      const reply = replies[Math.min(sent.length, replies.length) - 1]
      return {
        status: reply?.status ?? 200,
        headers: new Headers({ 'content-type': 'text/xml', ...reply?.headers }),
        body: new TextEncoder().encode(reply?.body),
        isCut: false,
      }
    },
  })
  const means = {
    ask,
    url,
    options: {},
    secrets: SECRETS,
    now: new Date('2026-01-01'),
    log: () => {},
    warn: () => {},
    product: () => {},
  }
  const client = new AwsClient(means)
  const list = async (region = 'eu-central-1') => {
    const found: string[] = []
    const call = { service: 'ec2', region, action: 'DescribeVpcs', list: ['vpcSet', 'item'] } as const
    for await (const node of client.list(call)) found.push(node.children[0]?.text ?? '')
    return found
  }
  return { sent, list, findError: () => list().then(() => undefined, toError) }
}

const toError = (error: unknown): FetchError => {
  if (error instanceof FetchError) return error
  throw error
}

const page = (ids: readonly string[], token = ''): Reply => ({
  body: `<?xml version="1.0"?><DescribeVpcsResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><vpcSet>${ids
    .map((id) => `<item><vpcId>${id}</vpcId></item>`)
    .join('')}</vpcSet>${token === '' ? '' : `<nextToken>${token}</nextToken>`}</DescribeVpcsResponse>`,
})
const fault = (status: number, code: string, headers = {}): Reply => ({
  status,
  headers,
  body: `<Response><Errors><Error><Code>${code}</Code><Message>Words of ${code}.</Message></Error></Errors></Response>`,
})

test.each([
  ['eu-central-1', 'https://ec2.eu-central-1.amazonaws.com/'],
  ['us-gov-west-1', 'https://ec2.us-gov-west-1.amazonaws.com/'],
  ['cn-north-1', 'https://ec2.cn-north-1.amazonaws.com.cn/'],
  ['eusc-de-east-1', 'https://ec2.eusc-de-east-1.amazonaws.eu/'],
])('the endpoint of %s is %s', async (region, url) => {
  const { sent, list } = createClient([page([])])
  await list(region)
  expect(sent.map((request) => request.url)).toEqual([url])
  expect(sent[0]?.authorization).toContain(`/20260101/${region}/ec2/aws4_request`)
})

test('another URL is asked for all regions', async () => {
  const { sent, list } = createClient([page([])], 'https://cloud.example.com/ec2')
  await list()
  expect(sent.map(({ url }) => url)).toEqual(['https://cloud.example.com/ec2/'])
})

test('pages are read until there is no token', async () => {
  const { sent, list } = createClient([page(['vpc-1'], 'a b+c'), page(['vpc-2'])])
  expect(await list()).toEqual(['vpc-1', 'vpc-2'])
  expect(sent.map(({ form }) => form.get('NextToken'))).toEqual([null, 'a b+c'])
})

test('a page that names itself as the next one ends the fetch', async () => {
  const { sent, findError } = createClient([page(['vpc-1'], 'again')])
  expect(await findError()).toMatchObject({ code: 'bad_answer' })
  expect(sent).toHaveLength(2)
})

describe('an error', () => {
  test.each([
    [401, 'AuthFailure', 'unauthorized'],
    [403, 'InvalidClientTokenId', 'unauthorized'],
    [403, 'SignatureDoesNotMatch', 'unauthorized'],
    [403, 'UnauthorizedOperation', 'forbidden'],
    [401, 'OptInRequired', 'forbidden'],
    [503, 'RequestLimitExceeded', 'rate_limited'],
    [400, 'Throttling', 'rate_limited'],
    [503, 'Unavailable', 'unreachable'],
    [400, 'InvalidParameterValue', 'bad_answer'],
    [400, 'constructor', 'bad_answer'],
  ] as const)('of status %d with %s is %s, with the words of AWS', async (status, name, code) => {
    const error = await createClient([fault(status, name)]).findError()
    expect(error?.code).toBe(code)
    expect(error?.message).toStartWith(`DescribeVpcs in eu-central-1: ${name}: Words of ${name}`)
    expect(error?.message.includes('ec2:DescribeInstances')).toBe(code === 'unauthorized' || code === 'forbidden')
  })

  test.each([
    ['120', 120],
    ['86400', 3600],
    ['soon', undefined],
  ])('with Retry-After %s waits %p seconds', async (header, seconds) => {
    const error = await createClient([fault(503, 'RequestLimitExceeded', { 'retry-after': header })]).findError()
    expect(error?.retryAfterSeconds).toBe(seconds)
  })

  test.each([
    [200, '<html><body>Login</body></html>', 'wrong_url'],
    [200, '<ListBucketResult/>', 'wrong_url'],
    [200, '{}', 'bad_answer'],
    [200, '<DescribeVpcsResponse><vpcSet>', 'bad_answer'],
    [200, '<!DOCTYPE a [<!ENTITY b "c">]><DescribeVpcsResponse/>', 'bad_answer'],
    [403, '<html>', 'forbidden'],
    [401, '', 'unauthorized'],
    [503, 'busy', 'unreachable'],
    [404, '', 'wrong_url'],
  ] as const)('of status %d with the body %p is %p%s', async (status, body, code) => {
    expect((await createClient([{ status, body }]).findError())?.code).toBe(code)
  })
})
