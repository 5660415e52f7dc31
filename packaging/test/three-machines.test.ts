// The files for three machines keep the promises of `docs/high-availability.md`. `npm run test:long` starts them.
import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { ROOT } from '../trial.ts'

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const page = read('docs/high-availability.md')

const named = (text: string): Record<string, string> =>
  Object.fromEntries([...text.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]))

describe('packaging/ha', () => {
  const { bootstrap, etcd3, postgresql } = parse(read('packaging/ha/patroni.yml'))

  test('a commit waits for a standby, also without one, and a crashed primary is replaced at once', () => {
    const { synchronous_mode, synchronous_mode_strict, primary_start_timeout } = bootstrap.dcs
    expect([synchronous_mode, synchronous_mode_strict, primary_start_timeout]).toEqual([true, true, 0])
  })

  test('the times equal the times of Patroni and of the page', () => {
    const { ttl, loop_wait, retry_timeout } = bootstrap.dcs
    expect(page).toContain(`after \`ttl\`, ${ttl} seconds`)
    expect(loop_wait + 2 * retry_timeout).toBeLessThanOrEqual(ttl)
  })

  test('the settings for reads on standbys equal the settings of the page', () => {
    const { hot_standby_feedback, max_standby_streaming_delay } = bootstrap.dcs.postgresql.parameters
    expect(page).toContain(`\`hot_standby_feedback: ${hot_standby_feedback}\``)
    expect(page).toContain(`\`max_standby_streaming_delay: ${max_standby_streaming_delay}\``)
  })

  test('the files of etcd and Patroni name the same machines', () => {
    const etcd = named(read('packaging/ha/etcd.env'))
    const patroni = named(read('packaging/ha/patroni.env'))
    const members = (etcd.ETCD_INITIAL_CLUSTER ?? '').split(',').map((member) => member.split('//')[1]?.split(':')[0])
    expect(etcd3.hosts.split(',')).toEqual(members.map((host) => `${host}:2379`))
    expect([etcd.ETCD_NAME, patroni.PATRONI_NAME]).toEqual(['db1', 'db1'])
    expect(patroni.PATRONI_POSTGRESQL_CONNECT_ADDRESS).toBe(`${members[0]}:5432`)
    expect(page).toContain(`@${members.join(',')}/plat`)
  })

  test('PostgreSQL asks for a password from the network, and stores none in the configuration', () => {
    expect(
      postgresql.pg_hba
        .filter((line: string) => line.startsWith('host'))
        .every((line: string) => line.endsWith('scram-sha-256')),
    ).toBe(true)
    expect(read('packaging/ha/patroni.yml')).not.toMatch(/password:/)
  })
})
