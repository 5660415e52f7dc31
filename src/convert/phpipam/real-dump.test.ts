/** A dump that mariadb-dump itself writes, of tables with the types that phpIPAM gives them. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mysqlDump, TABLES } from '../../../testing/estates/phpipam.ts'
import { until } from '../../../testing/until.ts'
import { convertPhpipam } from './phpipam.ts'

const folder = mkdtempSync(join(tmpdir(), 'plat-mariadb-'))
const socket = join(folder, 'socket')
const CLIENT = ['--no-defaults', `--socket=${socket}`, '--user=root'] as const

/** Types of columns that are no text. */
const TYPES: Readonly<Record<string, string>> = {
  domainId: "int(11) unsigned NOT NULL DEFAULT '1'",
  isFolder: "tinyint(1) DEFAULT '0'",
  is_gateway: "tinyint(1) DEFAULT '0'",
  lastSeen: "datetime DEFAULT '1970-01-01 00:00:01'",
  masterSubnetId: "int(11) unsigned NOT NULL DEFAULT '0'",
  number: 'int(4) DEFAULT NULL',
  pingSubnet: "tinyint(1) DEFAULT '0'",
  rack_start: 'int(11) unsigned DEFAULT NULL',
  sectionId: 'int(11) unsigned DEFAULT NULL',
  size: 'int(2) DEFAULT NULL',
  state: "int(3) DEFAULT '2'",
  subnetId: 'int(11) unsigned DEFAULT NULL',
}

const literal = (value: string | number): string =>
  typeof value === 'number' ? String(value) : `'${value.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`

const statements = (): string[] =>
  Object.entries(TABLES).flatMap(([table, { columns, rows }]) => {
    const [key, ...others] = columns
    const types = others.map((name) => `\`${name}\` ${TYPES[name] ?? 'varchar(255) DEFAULT NULL'}`)
    // Addresses have a flag of this type.
    const flag = table === 'ipaddresses' ? ['`excludePing` BINARY DEFAULT NULL'] : []
    const definitions = [`\`${key}\` int(11) unsigned NOT NULL AUTO_INCREMENT`, ...types, ...flag]
    return [
      `CREATE TABLE \`${table}\` (${definitions.join(', ')}, PRIMARY KEY (\`${key}\`)) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
      ...rows.map((row) => {
        const given = columns.filter((name) => row[name] !== null && row[name] !== undefined)
        const values = given.map((name) => literal(row[name] ?? ''))
        if (flag.length > 0) {
          given.push('excludePing')
          values.push("'1'")
        }
        return `INSERT INTO \`${table}\` (${given.map((name) => `\`${name}\``).join(', ')}) VALUES (${values.join(', ')})`
      }),
    ]
  })

const run = (command: readonly string[], input = ''): Buffer => {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...command], { stdin: Buffer.from(input), timeout: 60_000 })
  if (exitCode !== 0) throw new Error(`${command.join(' ')}: ${stderr.toString()}`)
  return stdout
}

let server: Bun.Subprocess | undefined
beforeAll(async () => {
  const data = [`--datadir=${join(folder, 'data')}`, `--user=${run(['id', '-un']).toString().trim()}`]
  run(['mariadb-install-db', '--no-defaults', '--auth-root-authentication-method=normal', '--skip-test-db', ...data])
  const options = ['--skip-networking', `--socket=${socket}`, `--pid-file=${join(folder, 'pid')}`]
  const log = Bun.file(join(folder, 'log'))
  server = Bun.spawn(['mariadbd', '--no-defaults', ...data, ...options], { stdout: log, stderr: log })
  const isUp = () => Bun.spawnSync(['mariadb', ...CLIENT, '-e', 'SELECT 1']).exitCode === 0 || undefined
  await until('answer of MariaDB', isUp)
  run(['mariadb', ...CLIENT], `CREATE DATABASE phpipam;\nUSE phpipam;\n${statements().join(';\n')};\n`)
}, 60_000)
afterAll(async () => {
  server?.kill('SIGKILL')
  await server?.exited
  rmSync(folder, { recursive: true, force: true })
})

const FORMS = [
  ['by default', []],
  ['with columns', ['--complete-insert']],
  ['a statement for each row', ['--skip-extended-insert']],
  ['with binary values as hexadecimal digits', ['--hex-blob']],
  ['without options', ['--skip-opt']],
] as const

test.each(FORMS)('a dump of mariadb-dump %s gives the same document', async (_, options) => {
  const expected = await convertPhpipam(new TextEncoder().encode(mysqlDump()), { now: new Date(0) })
  const dump = run(['mariadb-dump', ...CLIENT, ...options, 'phpipam'])
  const conversion = await convertPhpipam(dump, { now: new Date(0) })
  expect(conversion.documents).toEqual(expected.documents)
})
