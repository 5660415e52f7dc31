/** The documents in docs/as-code.md and docs/automation.md are applied as they stand, and change nothing a second time. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parse } from 'yaml'
import { type TestApp, type TestCaller, testApp } from '../../testing/app/app.ts'

const read = (file: string) => readFileSync(resolve(import.meta.dir, '../../docs', file), 'utf8')
const blocks = (file: string, language: string) =>
  [...read(file).matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(([, text = '']) => text)

let app: TestApp
let admin: TestCaller
beforeAll(async () => {
  app = await testApp()
  admin = await app.as('admin')
}, 60_000)
afterAll(() => app.close())

const apply = async (document: object): Promise<{ readonly changed: boolean; readonly summary: string }> => {
  const response = await admin.request('POST', '/api/estate/apply', document)
  expect(response.status).toBe(200)
  return (await response.json()) as { changed: boolean; summary: string }
}

test('the first document', async () => {
  const [text = ''] = blocks('as-code.md', 'yaml')
  const document = parse(text) as object
  expect(await apply(document)).toMatchObject({
    changed: true,
    summary: 'creates 1 datacenter, 1 network, 1 pool, 2 devices, 1 relationship and 1 reservation',
  })
  expect(await apply(document)).toMatchObject({ changed: false })
})

test('kinds, objects and packs', async () => {
  const text = blocks('as-code.md', 'yaml').find((one) => one.startsWith('packs:')) ?? ''
  const document = parse(text) as object
  expect(await apply(document)).toMatchObject({ changed: true })
  expect(await apply(document)).toMatchObject({ changed: false })
})

test('the references', async () => {
  const [, text = ''] = blocks('as-code.md', 'yaml')
  const { pool } = parse(text) as { pool: object }
  expect(await apply({ reservations: [{ pool, ip_address: '10.40.1.31' }] })).toMatchObject({ changed: true })
})

test('the Ansible example', async () => {
  const [text = ''] = blocks('automation.md', 'yaml')
  const [{ tasks }] = parse(text) as [{ tasks: [{ 'ansible.builtin.uri': { url: string; body: object } }] }]
  const { url, body } = tasks[0]['ansible.builtin.uri']
  expect(url).toBe('{{ plat_url }}/api/estate/apply')
  expect([(await apply(body)).changed, (await apply(body)).changed]).toEqual([true, false])
})

test('a PUT of what a GET has answered changes nothing', async () => {
  await admin.api.devices.create({ name: 'tf-web-1', refs: { terraform: 'web' } })
  const before = await admin.request('GET', '/api/devices/terraform:web')
  const body = (await before.json()) as object
  const put = await admin.request('PUT', '/api/devices/terraform:web', body)
  expect([put.status, put.headers.get('x-change-id'), await put.json()]).toEqual([200, null, body])
  const after = await admin.request('GET', '/api/devices/terraform:web')
  expect(after.headers.get('etag')).toBe(before.headers.get('etag'))
})
