/** The texts of the golden files, derived from the registry. They are deterministic: equal sources give equal texts. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { program } from '../src/app/cli.ts'
import { contracts, routes } from '../src/app/contracts.ts'
import { getCommandWords, getToolName } from '../src/contract/command-name.ts'
import { getDdl, migrate } from '../src/database/migrate.ts'
import { migrations } from '../src/database/migrations/index.ts'
import { openSqlite } from '../src/database/sqlite/sqlite.ts'
import type { Tables } from '../src/database/tables.ts'
import {
  type Access,
  type AnyOperation,
  listPermissions,
  type OperationSet,
  type RawRoute,
} from '../src/kernel/operation.ts'
import { CATALOGUE, PERMISSION_TABLE, SYSTEM_ROLES } from '../src/people/roles/catalogue.ts'
import type { Argument, Command, Flag } from '../src/surfaces/cli/parse/command.ts'
import { GLOBAL_FLAGS } from '../src/surfaces/cli/parse/globals.ts'
import { loadCommands } from '../src/surfaces/cli/parse/load-commands.ts'
import { shape } from '../src/surfaces/mcp/shape.ts'
import { listToolDefinitions } from '../src/surfaces/mcp/tools.ts'
import { buildOpenapi } from '../src/surfaces/openapi/openapi.ts'

const operations: readonly AnyOperation[] = Object.values<OperationSet>(contracts).flatMap((set) => Object.values(set))

/** Pads columns to their widest cell, with two blanks between them. */
const aligned = (rows: readonly (readonly string[])[]): string => {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)))
  return rows
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

const accessText = (access: Access): string => (typeof access === 'object' ? access.anyOf.join('|') : access)

const surfaceOf = (op: AnyOperation): string =>
  op.mcp === 'listed' ? getToolName(op) : op.mcp === 'hidden' ? 'hidden' : '-'

/** The properties that other golden files show, and the schemas. */
const SHOWN_ELSEWHERE: ReadonlySet<string> = new Set([
  ...['name', 'summary', 'description', 'http', 'status', 'access', 'effect', 'cli', 'mcp'],
  ...['input', 'output', 'recorded', 'bodyRules', 'errors', 'alsoAnswers', 'query', 'requestHeaders'],
  ...['produces', 'consumes', 'alsoProduces', 'refusal', 'plainErrors'],
])

const flagText = ([name, value]: readonly [string, unknown]): string => {
  if (value === true) return name
  return typeof value === 'function' ? `${name}()` : `${name}=${JSON.stringify(value)}`
}

const flagsText = (one: object): string => {
  const flags = Object.entries(one).filter(([name, value]) => !SHOWN_ELSEWHERE.has(name) && value !== undefined)
  return flags.map(flagText).sort().join(' ')
}

/** Returns the members of the context of a handler, each with the first line of its comment. */
const contextRows = (source: string): string[][] => {
  const body = source.slice(source.indexOf('export type KernelCtx<Tables> = {'))
  const members = body
    .slice(0, body.indexOf('\n}\n'))
    .matchAll(/\/\*\*([\s\S]*?)\*\/\n {2}readonly (\w+)|\n {2}readonly (\w+)/g)
  return [...members].map(([, comment = '', described, plain]) => {
    const lines = comment.split('\n').map((line) => line.replace(/^\s*\*?\s*/, '').trim())
    return [`ctx.${described ?? plain}`, lines.find((line) => line !== '') ?? '']
  })
}

/** The flags of operations and routes that no other golden file shows, and the members of `ctx`. @param context the source of its type */
export const contractsText = (context: string): string =>
  [
    aligned([['OPERATION', 'FLAGS'], ...operations.map((op) => [op.name, flagsText(op)])]),
    aligned([['ROUTE', 'FLAGS'], ...routes.map((route) => [route.name, flagsText(route)])]),
    aligned([['MEMBER', 'MEANING'], ...contextRows(context)]),
  ].join('\n\n')

const operationRow = (op: AnyOperation): string[] => {
  const [method = '', path = ''] = op.http.split(' ')
  return [
    op.name,
    method,
    path,
    accessText(op.access),
    op.effect,
    `plat ${getCommandWords(op).join(' ')}`,
    surfaceOf(op),
  ]
}

const routeRow = ({ name, http, access }: RawRoute): string[] => {
  const [method = '', path = ''] = http.split(' ')
  return [name, method, path, accessText(access), 'raw', '', '']
}

export const operationsText = (): string =>
  aligned([
    ['NAME', 'METHOD', 'PATH', 'ACCESS', 'EFFECT', 'COMMAND', 'MCP TOOL'],
    ...operations.map(operationRow),
    ...routes.map(routeRow),
  ])

/** The version is left out: a release is no change of the API. */
export const openapiText = (): string => JSON.stringify(buildOpenapi(contracts, routes, { version: '0' }), null, 2)

const argumentText = ({ field, isRequired, isRest }: Argument): string => {
  const name = `${field.toUpperCase()}${isRest ? '...' : ''}`
  return isRequired ? name : `[${name}]`
}

const flagRow = ({ names, short, hint, choices, bounds, isList }: Flag): string[] => [
  `    ${short === undefined ? '' : `-${short}, `}${names.map((name) => `--${name}`).join(', ')}${hint && ` ${hint}`}`,
  [choices.join('|'), bounds, isList ? 'repeats' : ''].filter(Boolean).join('; '),
]

const commandText = (command: Command): string => {
  const { args, flags } = command.spec()
  const own = flags.filter(({ field }) => !args.some((arg) => arg.field === field))
  const usage = ['plat', ...command.words, ...args.map(argumentText)].join(' ')
  return [`${usage}    ${command.summary}`, ...(own.length > 0 ? [aligned(own.map(flagRow))] : [])].join('\n')
}

export const cliText = async (): Promise<string> => {
  const commands = (await loadCommands(program)).filter(({ isHidden }) => !isHidden)
  const sorted = commands.toSorted((a, b) => (a.words.join(' ') < b.words.join(' ') ? -1 : 1))
  return ['every command', aligned(GLOBAL_FLAGS.map(flagRow)), '', ...sorted.map(commandText)].join('\n')
}

/** An estimate that suits JSON and English. */
const tokens = (value: unknown): number => Math.ceil(Buffer.byteLength(JSON.stringify(value)) / 4)

/** The output of the tool for the most devices that one answer has. */
const foundDevices = (fields?: readonly string[]) => {
  const results = Array.from({ length: 50 }, (_, i) => {
    const name = `dub-r${String(i).padStart(2, '0')}-sw-01`
    return { type: 'device', id: Bun.randomUUIDv5(name, 'url'), name, match: name }
  })
  return shape({ results }, { fields, mostRows: Number.POSITIVE_INFINITY, offset: 0, listIn: 'results' })
}

export const toolsText = async (): Promise<string> => {
  const tools = listToolDefinitions(operations)
  const blocks = tools.map((tool) => {
    const hints = Object.entries(tool.annotations).filter(([, isSet]) => isSet)
    return [
      `${tool.name}  (${tokens(tool)} tokens; ${hints.map(([name]) => name.replace('Hint', '')).join(', ') || 'no hints'})`,
      `  ${tool.description}`,
      `  ${JSON.stringify(tool.inputSchema)}`,
      ...(tool.outputSchema ? [`  -> ${JSON.stringify(tool.outputSchema)}`] : []),
    ].join('\n')
  })
  const head = [
    `${tools.length} tools, ${tokens(tools)} tokens in all (bytes / 4)`,
    `a search that finds 50 devices: ${tokens(await foundDevices(['type', 'name', 'match']))} tokens with the fields type, name and match, ${tokens(await foundDevices())} with all`,
  ]
  return [head.join('\n'), ...blocks].join('\n\n')
}

const users = (permission: string): string =>
  operations
    .filter(({ access }) => listPermissions(access).some((one) => one === permission))
    .map(({ name }) => name)
    .join(' ')

export const permissionsText = (): string =>
  aligned([
    ['PERMISSION', ...SYSTEM_ROLES.map(({ name }) => name), 'MEANING', 'OPERATIONS'],
    ...CATALOGUE.map(({ name, description }) => [
      name,
      ...SYSTEM_ROLES.map(({ permissions }) => (permissions.includes(name) ? 'yes' : '-')),
      description,
      users(name),
    ]),
  ])

const ROWS = /(\| Resource \| Actions \| operator \| viewer \|\n\|---\|---\|---\|---\|\n)(?:\|.*\n)*/

/** The page with the table of permissions that follows from the catalog. @throws Error if the page has no such table */
export const accessPage = (page: string): string => {
  if (!ROWS.test(page)) throw new Error('docs/access.md has no table of permissions')
  const cell = (actions: readonly string[]): string => actions.join(' ') || '-'
  const rows = PERMISSION_TABLE.toSorted((a, b) => (a.resource < b.resource ? -1 : 1)).map(
    ({ resource, actions, operator, viewer }) =>
      `| \`${resource}\` | ${cell(actions)} | ${cell(operator)} | ${cell(viewer)} |\n`,
  )
  return page.replace(ROWS, (_, head: string) => head + rows.join(''))
}

/** The statement of the migration, without the indentation of the last line. */
const dedented = (statement: string): string => {
  const lines = statement.trim().split('\n')
  const indent = lines.length > 1 ? (lines.at(-1)?.search(/\S/) ?? 0) : 0
  return lines.map((line, i) => (i === 0 ? line : line.replace(new RegExp(`^ {0,${indent}}`), '').trimEnd())).join('\n')
}

/** The internal tables of a full-text index. */
const SHADOW = /_search_(config|content|data|docsize|idx)$/

export const sqliteText = async (): Promise<string> => {
  const folder = mkdtempSync(join(tmpdir(), 'plat-golden-'))
  const db = openSqlite<Tables>(join(folder, 'plat.db'))
  try {
    await migrate(db, { migrations, now: () => new Date(0) })
    const { rows } = await sql<{
      name: string
      sql: string
    }>`SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name, type`.execute(db.read)
    return rows
      .filter(({ name }) => !SHADOW.test(name))
      .map((row) => `${dedented(row.sql)};`)
      .join('\n\n')
  } finally {
    await db.close()
    rmSync(folder, { recursive: true })
  }
}

export const postgresText = (): string => {
  const ddl = getDdl('postgres')
  const ordered = migrations.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  return ordered
    .flatMap(({ name, statements, concurrently = () => [] }) => [
      `-- ${name}`,
      ...statements(ddl).map((statement) => `${dedented(statement)};`),
      ...concurrently(ddl).map(({ name, on }) => `CREATE INDEX CONCURRENTLY ${name} ON ${on};`),
    ])
    .join('\n\n')
}
