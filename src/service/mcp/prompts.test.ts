import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Client } from '@modelcontextprotocol/client'
import { type TestApp, type TestCaller, testApp } from '../../../testing/app/app.ts'
import { connect } from '../../../testing/mcp.ts'
import { contracts } from '../../app/contracts.ts'
import type { AnyOperation } from '../../kernel/operation.ts'
import { listToolDefinitions } from '../../surfaces/mcp/tools.ts'
import { PROMPTS } from './prompts.ts'

let app: TestApp
let admin: TestCaller
let client: Client
beforeAll(async () => {
  app = await testApp()
  admin = await app.as('admin')
  client = await connect({ fetch: app.fetch, key: admin.key })
})
afterAll(() => app.close())

describe('prompts', () => {
  test('are listed with their arguments', async () => {
    const { prompts } = await client.listPrompts()
    expect(prompts.find(({ name }) => name === 'free_address')?.arguments).toMatchObject([
      { name: 'where', required: true },
      { name: 'device', required: false },
    ])
  })

  test('contain their arguments', async () => {
    const { messages } = await client.getPrompt({
      name: 'plan_migration',
      arguments: { from: 'old LAN', to: '10.9.0.0/24' },
    })
    expect(messages).toMatchObject([
      { role: 'user', content: { text: expect.stringContaining('"old LAN" to "10.9.0.0/24"') } },
    ])
  })

  test('say which arguments are missing or unknown', async () => {
    const asked = client.getPrompt({ name: 'who_is', arguments: { qery: 'x' } })
    expect(asked).rejects.toThrow('qery is not an argument of this; query is required')
  })

  test('name an unknown prompt', async () => {
    expect(client.getPrompt({ name: 'nope' })).rejects.toThrow('There is no prompt nope')
  })

  const operations = Object.values(contracts).flatMap((set) => Object.values<AnyOperation>(set))
  const tools = new Set(listToolDefinitions(operations).map(({ name }) => name))
  const names = new Set(operations.map(({ name }) => name))

  test.each(PROMPTS.map((prompt) => [prompt.name, prompt] as const))('%s names tools that exist', (_, prompt) => {
    const both = [prompt.text(() => ''), prompt.text(() => 'x')].join(' ')
    const called =
      both.match(/\b(?:device|network|pool|audit|discovery|conflict|relationship|search|call|apply)_[a-z_]+\b/g) ?? []
    const run = both.match(/\b[a-z]+\.[a-z-]+\b/g) ?? []
    const args = new Set(['network_id', 'device_id'])
    expect(called.filter((name) => !tools.has(name) && !args.has(name))).toEqual([])
    expect(run.filter((name) => !names.has(name))).toEqual([])
  })
})

describe('resources', () => {
  test('are addressed by templates', async () => {
    const { resourceTemplates } = await client.listResourceTemplates()
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      'plat://device/{id}',
      'plat://network/{id}',
    ])
  })

  test('equal the answers of the REST API', async () => {
    const network = await admin.api.networks.create({ name: 'a resource', subnet: '10.81.0.0/24' })
    const { contents } = await client.readResource({ uri: `plat://network/${network.id}` })
    const [content] = contents
    expect(JSON.parse(content && 'text' in content ? content.text : '')).toEqual(
      JSON.parse(JSON.stringify(await admin.api.networks.get({ id: network.id }))),
    )
  })

  test('need the permission to read the object', async () => {
    const nobody = await connect({ fetch: app.fetch, key: (await app.as(['search:read'])).key })
    const { id } = await admin.api.devices.create({ name: 'closed' })
    expect(nobody.readResource({ uri: `plat://device/${id}` })).rejects.toThrow('devices:read')
  })

  test('that do not exist are named by their URI', async () => {
    expect(client.readResource({ uri: 'plat://device/nobody' })).rejects.toThrow('plat://device/nobody')
  })
})
