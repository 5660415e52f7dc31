/** Run in a copy of the code by both recipes: checks one object on every surface. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCli } from '../../src/app/cli.ts'
import { type TestApp, testApp } from '../app/app.ts'
import { callTool } from '../mcp.ts'
import { memoryIo } from '../memory-io.ts'

type Input = Readonly<Record<string, string>>

export type Surfaces = {
  /** `devices` */
  readonly resource: string
  readonly object: Input
  /** The field that is looked for everywhere; each surface gives it another value. */
  readonly field: string
}

const MOST_SHOWN = 2000

const holds = (surface: string, answer: string, text: string): void => {
  if (!answer.includes(text)) throw new Error(`${surface} lacks ${text}: ${answer.slice(0, MOST_SHOWN)}`)
}

/** The URL of the app is made up: the CLI calls its handler. */
const cli = async (app: TestApp, key: string, argv: readonly string[]): Promise<string> => {
  const { io, out, err } = memoryIo({
    argv: [...argv],
    env: { PLAT_URL: 'http://plat.test', PLAT_TOKEN: key },
    fetch: async (url, init) => app.fetch(new Request(url, init)),
  })
  if ((await runCli(io)) !== 0) throw new Error(`plat ${argv.join(' ')}: ${err()}`)
  return out()
}

/** @throws Error naming the surface that does not have the field */
export const checkSurfaces = async ({ resource, object, field }: Surfaces): Promise<void> => {
  const app = await testApp()
  const noun = resource.replace(/s$/, '')
  const folder = mkdtempSync(join(tmpdir(), 'plat-recipe-export-'))
  try {
    const admin = await app.as('admin')
    const created = await admin.request('POST', `/api/${resource}`, { ...object, [field]: 'by-rest' })
    const { id } = (await created.json()) as { id: string }
    const listed = await admin.request('GET', `/api/${resource}`)
    holds('REST', await listed.text(), 'by-rest')

    await cli(app, admin.key, [noun, 'update', id, `--${field}`, 'by-cli'])
    holds('CLI', await cli(app, admin.key, [noun, 'get', id, '--output', 'json']), 'by-cli')

    const peer = { fetch: app.fetch, key: admin.key }
    const input = { id, [field]: 'by-mcp' }
    const { value } = await callTool(peer, 'call_operation', { operation: `${resource}.update`, input })
    holds('MCP', JSON.stringify(value), 'by-mcp')

    holds('OpenAPI', await (await admin.request('GET', '/api/openapi.json')).text(), `"${field}":`)

    const row = JSON.stringify([{ ...object, id, [field]: 'by-import' }])
    const imported = await admin.request('POST', `/api/estate/import?resource=${resource}`, JSON.parse(row))
    holds('import', await imported.text(), '"updated":1')
    await cli(app, admin.key, ['export', folder])
    holds('export', readFileSync(join(folder, `${resource}.json`), 'utf8'), 'by-import')
  } finally {
    rmSync(folder, { recursive: true })
    await app.close()
  }
}

const [resource = '', field = '', object = '{}'] = process.argv.slice(2)
await checkSurfaces({ resource, field, object: JSON.parse(object) as Input })
process.exit(0)
