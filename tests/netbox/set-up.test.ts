/** The set-up of each client in docs/netbox-api.md, run from a folder of its own as it stands. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join, resolve } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { z } from 'zod'
import { findGo } from '../../scripts/go-tools.mjs'
import { netboxClientsFolder } from '../../scripts/python-tools.mjs'
import { type PlatTarget, startPlat } from '../../testing/netbox/clients/plat.ts'

const root = resolve(import.meta.dir, '../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')

/** The sections of the page by their heading. */
const sections = Object.fromEntries(
  (read('docs/netbox-api.md').split('\n## Set up\n')[1]?.split('\n## ')[0] ?? '')
    .split('\n### ')
    .slice(1)
    .map((text) => [text.split('\n')[0] ?? '', text] as const),
)

const McpServer = z.object({ command: z.string(), env: z.record(z.string(), z.string()) })
const McpServers = z.object({ mcpServers: z.object({ netbox: McpServer }) })

/** A block with the file name that the text before it tells. */
const BLOCK = /(?:`([\w.]+)`[^`]*:\n\n)?```(\w+)\n([\s\S]*?)^```/gm

let plat: PlatTarget
beforeAll(async () => {
  plat = await startPlat()
}, 120_000)
afterAll(() => plat.stop())

const fill = (text: string): string =>
  text
    .replaceAll('http://127.0.0.1:8080/netbox', plat.url)
    .replaceAll('http://localhost:8080', plat.hostUrl)
    .replaceAll('plat_KEY', plat.token)

/** Writes the files of a section. Returns its folder and its commands. */
const setUp = (title: string) => {
  const dir = join(plat.dir, title.replaceAll(/\W/g, '-'))
  mkdirSync(dir)
  const blocks = [...(sections[title] ?? '').matchAll(BLOCK)].map(([, file, language, text = '']) => ({
    ...{ file, language, text: fill(text) },
  }))
  for (const { file, text } of blocks) if (file !== undefined) writeFileSync(join(dir, file), text)
  const commands = blocks.flatMap(({ language, text }) => (language === 'sh' ? [text] : []))
  return { dir, commands: commands.join('\n'), blocks }
}

test.each([
  ['Ansible, the inventory', '--srv-fra-1'],
  ['Ansible, modules and look-ups', 'changed=2'],
  ['pynetbox', '10.22.0.1/24'],
  ['Nornir', 'web-1'],
  ['octoDNS', 'Creates='],
  ['netbox-super-cli', '10.23.0.0/24'],
  ['Go', '<nil>'],
])(
  '%s',
  async (title, expected) => {
    const { dir, commands } = setUp(title)
    const env: Record<string, string> = { NSC_HOME: join(dir, 'nsc') }
    if (title === 'Go') {
      for (const file of ['go.mod', 'go.sum']) writeFileSync(join(dir, file), read(`testing/netbox/go/${file}`))
      // The compiled packages are kept in the home.
      env.HOME = process.env.HOME ?? dir
      env.PATH = [dirname(findGo()), process.env.PATH].join(delimiter)
    }
    const { out, err } = await plat.run(['sh', '-ec', `cd ${dir}\n${commands}`], env)
    expect(out + err).toContain(expected)
  },
  300_000,
)

test('The MCP server for NetBox', async () => {
  const [block] = setUp('The MCP server for NetBox').blocks
  const { command, env } = McpServers.parse(JSON.parse(block?.text ?? '')).mcpServers.netbox
  const client = new Client({ name: 'test', version: '1' })
  const path = join(netboxClientsFolder, command)
  await client.connect(
    new StdioClientTransport({ command: path, env: { ...env, PATH: process.env.PATH ?? '' }, stderr: 'ignore' }),
  )
  const { tools } = await client.listTools()
  await client.close()
  expect(tools.map(({ name }) => name)).toContain('netbox_search_objects')
}, 120_000)

test('each Python package of the page is among those that the tests install', () => {
  const named = Object.values(sections).flatMap((text) => /`pip install ([^`]+)`/.exec(text)?.[1]?.split(' ') ?? [])
  const installed = read('scripts/netbox/clients-requirements.txt')
  expect(named.filter((name) => !installed.includes(`${name}==`))).toEqual([])
  expect(new Set(named).size).toBe(7)
})
