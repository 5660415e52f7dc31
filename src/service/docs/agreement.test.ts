/** The document and the server accept and refuse the same bodies. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { z } from 'zod'
import type { TestApp, TestCaller } from '../../../testing/app/app.ts'
import { oauthApp } from '../../../testing/sign-in/oauth.ts'
import { contracts, routes } from '../../app/contracts.ts'
import { buildOpenapi } from '../../surfaces/openapi/openapi.ts'

const { paths } = buildOpenapi(contracts, routes, { version: '1' })

let app: TestApp
let admin: TestCaller
beforeAll(async () => {
  app = await oauthApp({ env: { ENCRYPTION_KEY: 'ab'.repeat(32) } })
  admin = await app.as('admin')
  await admin.request('POST', '/api/networks', { id: 'net', name: 'net', subnet: '127.0.0.0/24' })
})
afterAll(() => app.close())

const PASSWORD = 'quick to check'
const hook = (fields: object) => ({ name: 'hook', url: 'https://example.net', events: ['device.created'], ...fields })
const client = (fields: object) => ({ redirect_uris: ['https://a.example/cb'], ...fields })
const twenty = Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`x-${i}`, '']))
const rule = (exclude_ips: string) => ({ network_id: 'net', exclude_ips })
const call = (fields: object) => ({ jsonrpc: '2.0', id: 1, method: 'ping', ...fields })

type Case = readonly [path: string, about: string, body: object, isGood: boolean]

const CASES: readonly Case[] = [
  ['/api/roles', 'a permission', { name: 'r', permissions: ['devices:read'] }, true],
  ['/api/roles', 'no permission', { name: 's', permissions: ['devices:fly'] }, false],
  ['/api/users', 'a name between blanks', { username: ' ann\n', password: PASSWORD }, true],
  ['/api/users', 'a name with an invisible character', { username: 'a\u200bnn', password: PASSWORD }, false],
  ['/api/users', 'a name of invisible characters', { username: '\u3164', password: PASSWORD }, false],
  ['/api/users', 'a name with a control character', { username: 'a\tnn', password: PASSWORD }, false],
  ['/api/users', 'a password of 72 bytes', { username: 'bob', password: '\u20ac'.repeat(24) }, true],
  ['/api/users', 'a password of 75 bytes', { username: 'cid', password: '\u20ac'.repeat(25) }, false],
  ['/api/keys', 'the last moment', { name: 'k', expires_at: '9999-12-31T23:59:59Z' }, true],
  ['/api/keys', 'a moment of the year 10000', { name: 'k', expires_at: '9999-12-31T23:59:59-00:01' }, false],
  ['/api/keys', 'a moment before the year 0', { name: 'k', expires_at: '0000-01-01T00:00:00+00:01' }, false],
  ['/api/webhooks', 'a header', hook({ headers: { 'X-Key': 'a b' } }), true],
  ['/api/webhooks', 'a header name with a blank', hook({ headers: { 'a b': '' } }), false],
  ['/api/webhooks', 'a header that Plat sets', hook({ headers: { hoST: '' } }), false],
  ['/api/webhooks', 'a header of the connection', hook({ headers: { 'proxy-Any': '' } }), false],
  ['/api/webhooks', 'a header name that is no key', hook({ headers: JSON.parse('{"__proto__":"a"}') }), false],
  ['/api/webhooks', 'a header of two lines', hook({ headers: { a: 'b\nc' } }), false],
  ['/api/webhooks', 'too many headers', hook({ headers: twenty }), false],
  ['/api/webhooks', 'a port', hook({ url: 'http://a_b.example:65535?' }), true],
  ['/api/webhooks', 'the port 0', hook({ url: 'http://a.example:0/' }), false],
  ['/api/webhooks', 'a port above 65535', hook({ url: 'http://a.example:65536/' }), false],
  ['/api/webhooks', 'a user in the URL', hook({ url: 'https://me@a.example/' }), false],
  ['/api/webhooks', 'this machine', hook({ url: 'https://a.LocalHost:80' }), false],
  ['/api/webhooks', 'no address', hook({ url: 'https://1.2.3.256/' }), false],
  ['/api/webhooks', 'an address of version 6', hook({ url: 'https://[2606:4700::1]/' }), true],
  ['/api/webhooks', '2048 characters', hook({ url: `https://a.example/${'😀'.repeat(2030)}` }), true],
  ['/api/discovery/devices/promote', 'placeholders', { ids: ['x'], name: '{n}: {ip' }, true],
  ['/api/discovery/devices/promote', 'no placeholder', { ids: ['x'], name: '{n}{host}' }, false],
  ['/api/devices/bulk', 'a new device', { operations: [{ op: 'create', id: 'a', device: { name: 'a' } }] }, true],
  [
    '/api/devices/bulk',
    'its id twice',
    { operations: [{ op: 'create', id: '/', device: { name: 'a', id: 'b' } }] },
    true,
  ],
  ['/api/devices/bulk', 'a bad id', { operations: [{ op: 'create', id: '/', device: { name: 'a' } }] }, false],
  ['/api/devices/bulk', 'no name', { operations: [{ op: 'create', device: {} }] }, false],
  ['/api/devices/bulk', 'no device', { operations: [{ op: 'create' }] }, false],
  ['/api/devices/bulk', 'bad items apart', { operations: [{ op: 'create' }], atomic: false }, true],
  ['/api/devices/bulk', 'an update of nothing', { operations: [{ op: 'update', device: { name: 'a' } }] }, false],
  ['/api/devices/bulk', 'a deletion of nothing', { operations: [{ op: 'delete', id: '' }] }, false],
  ['/api/networks/bulk', 'no subnet', { operations: [{ op: 'create', network: { name: 'a', subnet: 'b' } }] }, false],
  ['/api/discovery/rules', 'a bad address', rule('10.0.0.256'), false],
  ['/api/discovery/rules', 'a range of two families', rule('10.0.0.1-::1'), false],
  ['/api/discovery/rules', 'a blank between addresses', rule('10.0.0.1 10.0.0.2'), false],
  ['/api/discovery/rules', 'a list', rule(' 10.0.0.1\t-10.0.0.9 ,,::/64,::1 - ::2,10.0.0.0/30,'), true],
  ['/mcp-oauth/register', 'an address', client({}), true],
  ['/mcp-oauth/register', 'no address', client({ redirect_uris: [] }), false],
  ['/mcp-oauth/register', 'too many', client({ redirect_uris: Array(11).fill('https://a.example') }), false],
  ['/mcp-oauth/register', 'http elsewhere', client({ redirect_uris: ['http://a.example/'] }), false],
  ['/mcp-oauth/register', 'http to the loopback', client({ redirect_uris: ['http://[::1]:80/?a'] }), true],
  ['/mcp-oauth/register', 'a wildcard', client({ redirect_uris: ['https://a.example/*'] }), false],
  ['/mcp-oauth/register', 'scopes', client({ scope: 'devices:read audit:export' }), true],
  ['/mcp-oauth/register', 'no scope', client({ scope: 'devices:read devices:fly' }), false],
  ['/mcp-oauth/register', 'null', client({ client_name: null, scope: null, grant_types: null }), true],
  ['/mcp-oauth/register', 'no grant of a code', client({ grant_types: ['refresh_token'] }), false],
  ['/mcp-oauth/register', 'no response type', client({ response_types: [] }), false],
  ['/mcp-oauth/register', 'an invisible character', client({ client_name: 'a\u202eb' }), false],
  ['/mcp-oauth/register', '255 characters', client({ client_name: '😀'.repeat(255) }), true],
  ['/mcp-oauth/register', '256 characters', client({ client_name: 'x'.repeat(256) }), false],
  ['/mcp', 'a call', call({}), true],
  ['/mcp', 'a fraction as an id', call({ id: 1.5 }), false],
  ['/mcp', 'an unknown member', call({ more: 1 }), false],
]

test.each(CASES)('%s: %s', async (path, _, body, isGood) => {
  const schema = paths[path]?.post?.requestBody?.content['application/json']?.schema
  const isDocumented = z.fromJSONSchema(schema as never).safeParse(body).success
  const { status } = await admin.request('POST', path, body, { Accept: 'application/json, text/event-stream' })
  expect({ isDocumented, isAccepted: status < 400 }).toEqual({ isDocumented: isGood, isAccepted: isGood })
})
