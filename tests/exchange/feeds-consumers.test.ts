/** Programs that read feeds, with the configuration that the catalog of formats shows. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { ansibleFolder } from '../../scripts/python-tools.mjs'
import { contracts } from '../../src/app/contracts.ts'
import { CATALOGUE } from '../../src/exchange/feeds/catalogue.ts'
import { createClient } from '../../src/surfaces/cli/connection/client.ts'
import { type ServerFolder, serverFolder } from '../../testing/app/server-child.ts'
import { testAll } from '../../testing/cases.ts'
import { freePort } from '../../testing/servers/servers.ts'
import { until } from '../../testing/until.ts'

describe.skipIf(process.env.PLAT_TEST_LAB === 'off')('the configuration of', () => {
  let folder: ServerFolder
  let url = ''
  let api: ReturnType<typeof createClient<typeof contracts>>
  const at = (name: string): string => join(folder.dir, name)
  const run = async (command: readonly string[], env: Record<string, string> = {}) => {
    const child = Bun.spawn([...command], {
      cwd: folder.dir,
      env: { PATH: `${process.env.PATH}:/usr/sbin:/sbin`, HOME: folder.dir, LC_ALL: 'C.UTF-8', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 60_000,
    })
    const [out, err] = [await new Response(child.stdout).text(), await new Response(child.stderr).text()]
    return { code: await child.exited, out, err }
  }

  beforeAll(async () => {
    folder = await serverFolder({ RATE_LIMIT_ENABLED: 'false' })
    url = (await folder.start()).url
    api = createClient({ fetch, baseUrl: url, headers: { authorization: `Bearer ${folder.key}` } }, contracts)
    const network = await api.networks.create({ name: 'lab', subnet: '10.9.0.0/24' })
    await api.devices.create({
      ...{ name: 'Web "1"', hostname: 'web-1.example.net', username: 'root', tags: ['a b', 'c'], os: 'Debian 12' },
      addresses: [
        { ip: '10.9.0.10', mac_address: '52:54:00:00:00:10', port: 9100, network_id: network.id },
        { ip: '2001:db8::10', mac_address: '52:54:00:00:00:10' },
      ],
    })
    await api.devices.create({ name: 'db', addresses: [{ ip: '10.9.0.11', mac_address: '52:54:00:00:00:11' }] })
  }, 60_000)
  afterAll(() => folder.remove())

  /** Makes a feed and a key of it. Returns the configuration of its consumer, filled in. */
  const usageOf = async (format: keyof typeof CATALOGUE, fields: object = {}) => {
    const feed = await api.feeds.create({ name: format, format, ...fields })
    const { key } = await api.keys.create({ name: feed.id, feed_id: feed.id })
    const filled = (text: string) =>
      text
        .replaceAll('{url}', url + feed.url)
        .replaceAll('{server}', url)
        .replaceAll('{token}', key)
        .replaceAll('{id}', feed.id)
    const content = await fetch(url + feed.url, { headers: { Authorization: `Bearer ${key}` } })
    writeFileSync(at(format), await content.text())
    return { usage: CATALOGUE[format].usage.map(({ text }) => filled(text)), path: at(format), key, feed }
  }

  /** Runs Prometheus with a configuration until it has targets as wanted. */
  const targetsOf = async (config: string, isWanted: (target: Record<string, unknown>) => boolean) => {
    writeFileSync(at('prometheus.yml'), config)
    const port = await freePort()
    const options = [`--config.file=${at('prometheus.yml')}`, `--storage.tsdb.path=${at(`tsdb-${port}`)}`]
    const log = Bun.file(at('prometheus.log'))
    const child = Bun.spawn(['prometheus', ...options, `--web.listen-address=127.0.0.1:${port}`], {
      stdout: log,
      stderr: log,
    })
    try {
      return await until('target', async () => {
        const answer = await fetch(`http://127.0.0.1:${port}/api/v1/targets?state=active`).catch(() => undefined)
        if (!answer?.ok) return undefined
        const { data } = (await answer.json()) as { data: { activeTargets: Record<string, unknown>[] } }
        return data.activeTargets.some(isWanted) ? data.activeTargets : undefined
      })
    } finally {
      child.kill()
      await child.exited
    }
  }

  testAll(
    'Prometheus finds the targets with their labels',
    async () => {
      const { usage } = await usageOf('prometheus', { family: 'ipv4', tags: ['c'] })
      expect(await targetsOf(usage[0] ?? '', () => true)).toMatchObject([
        {
          labels: { instance: '10.9.0.10:9100', device: 'Web "1"' },
          discoveredLabels: { __meta_plat_tags: ',a b,c,', __meta_plat_network_name: 'lab' },
        },
      ])
    },
    60_000,
  )

  testAll(
    'Prometheus scrapes the metrics of Plat itself by a feed',
    async () => {
      const { port } = new URL(url)
      await api.devices.create({ name: 'plat', tags: ['plat'], addresses: [{ ip: '127.0.0.1', port: Number(port) }] })
      const { usage } = await usageOf('prometheus', { tags: ['plat'] })
      const authorization = `    authorization: {type: Bearer, credentials: ${folder.key}}\n    scrape_interval: 1s\n`
      const config = (usage[0] ?? '').replace('    http_sd_configs:', `${authorization}    http_sd_configs:`)
      const [target] = await targetsOf(config, ({ health }) => health === 'up')
      expect(target).toMatchObject({ health: 'up', lastError: '', labels: { device: 'plat' } })
    },
    60_000,
  )

  test('Ansible reads the inventory by the script', async () => {
    const { usage } = await usageOf('ansible')
    writeFileSync(at('inventory.sh'), usage[0] ?? '')
    chmodSync(at('inventory.sh'), 0o700)
    const { out, err } = await run([join(ansibleFolder, 'ansible-inventory'), '-i', at('inventory.sh'), '--list'])
    if (out === '') throw new Error(err)
    const inventory = JSON.parse(out) as { _meta: { hostvars: Record<string, object> } }
    expect(inventory._meta.hostvars['Web "1"']).toMatchObject({ ansible_host: '10.9.0.10', plat_tags: ['a b', 'c'] })
    expect(inventory).toMatchObject({ tag_a_b: { hosts: ['Web "1"'] }, os_debian_12: { hosts: ['Web "1"'] } })
  }, 60_000)

  testAll(
    'Ansible reads an inventory of 1,000 hosts without a warning',
    async () => {
      const rows = Array.from({ length: 1000 }, (_, i) => ({
        ...{ name: `many-${i}`, hostname: `many-${i}.example.net`, tags: ['many', `rack ${i % 20}`], os: 'Debian 12' },
        addresses: [{ ip: `10.8.${i >> 8}.${i & 255}` }],
      }))
      const body = rows.map((row) => JSON.stringify(row)).join('\n')
      const headers = { Authorization: `Bearer ${folder.key}`, 'Content-Type': 'application/x-ndjson' }
      await (await fetch(`${url}/api/estate/import?resource=devices`, { method: 'POST', headers, body })).text()
      const { usage } = await usageOf('ansible', { tags: ['many'] })
      writeFileSync(at('many.sh'), usage[0] ?? '')
      chmodSync(at('many.sh'), 0o700)
      const { out, err } = await run([join(ansibleFolder, 'ansible-inventory'), '-i', at('many.sh'), '--list'])
      expect(err).toBe('')
      const { _meta, tag_many } = JSON.parse(out) as { _meta: { hostvars: object }; tag_many: { hosts: string[] } }
      expect([Object.keys(_meta.hostvars).length, tag_many.hosts.length]).toEqual([1000, 1000])
    },
    60_000,
  )

  test('Ansible runs no template that a device holds', async () => {
    const command = `touch ${at('owned')}`
    const location = `{{ lookup('pipe', '${command}') }}`
    await api.devices.create({ name: 'evil', location, tags: ['evil', location], username: '{% raw %}root' })
    await api.devices.create({ name: `evil {{ lookup('pipe', '${command}') }}`, tags: ['evil'] })
    const { usage } = await usageOf('ansible', { tags: ['evil'] })
    writeFileSync(at('evil.sh'), usage[0] ?? '')
    chmodSync(at('evil.sh'), 0o700)
    const task =
      '{ansible.builtin.debug: {msg: "{{ plat_location }} {{ plat_tags }} {{ ansible_user }}"}, vars: {ansible_connection: local}}'
    writeFileSync(at('evil.yml'), `- hosts: all\n  gather_facts: false\n  tasks:\n    - ${task}\n`)
    const { out, err } = await run([join(ansibleFolder, 'ansible-playbook'), '-i', at('evil.sh'), at('evil.yml')])
    expect([out, err]).toEqual([expect.stringContaining("lookup('pipe'"), expect.any(String)])
    expect(out).toMatch(/evil +: ok=1 /)
    expect(existsSync(at('owned'))).toBe(false)
  }, 60_000)

  test('OpenSSH takes the address and the user', async () => {
    const { path } = await usageOf('ssh-config')
    const { out } = await run(['ssh', '-G', '-F', path, 'web-1'])
    expect(out).toMatch(/^hostname 10\.9\.0\.10$/m)
    expect(out).toMatch(/^user root$/m)
  })

  test('dnsmasq accepts its lines', async () => {
    const { path } = await usageOf('dnsmasq')
    const { code, err } = await run(['dnsmasq', '--test', `--conf-file=${path}`])
    expect([code, err]).toEqual([0, expect.stringContaining('syntax check OK')])
    expect(readFileSync(path, 'utf8')).toContain('dhcp-host=52:54:00:00:00:10,10.9.0.10,web-1')
  })

  test('ISC dhcpd accepts its declarations', async () => {
    const { path } = await usageOf('isc-dhcp', { family: 'ipv4' })
    writeFileSync(at('dhcpd.conf'), `subnet 10.9.0.0 netmask 255.255.255.0 { }\ninclude "${path}";\n`)
    const { code, err } = await run(['dhcpd', '-t', '-4', '-cf', at('dhcpd.conf')])
    expect([code, err]).toEqual([0, expect.not.stringMatching(/error|parse/i)])
  })

  test('Kea accepts its reservations, and reads them again after a change', async () => {
    const { usage, path, feed, key } = await usageOf('kea', { tags: ['c'] })
    const reservations = usage[0]?.replace('/etc/kea/plat.json', path) ?? ''
    const socket = at('kea.socket')
    const config = `{"Dhcp4": {"interfaces-config": {"interfaces": []}, "lease-database": {"type": "memfile", "persist": false},
      "control-socket": {"socket-type": "unix", "socket-name": "${socket}"},
      "subnet4": [{"id": 1, "subnet": "10.9.0.0/24", ${reservations}}]}}`
    writeFileSync(at('kea.conf'), config)
    const env = { KEA_PIDFILE_DIR: folder.dir, KEA_LOCKFILE_DIR: 'none' }
    const { code, out, err } = await run(['kea-dhcp4', '-t', at('kea.conf')], env)
    expect([code, out + err]).toEqual([0, expect.not.stringContaining('ERROR')])

    const log = Bun.file(at('kea.log'))
    const child = Bun.spawn(['kea-dhcp4', '-c', at('kea.conf')], {
      env: { PATH: `${process.env.PATH}:/usr/sbin:/sbin`, ...env },
      stdout: log,
      stderr: log,
    })
    try {
      await until('socket of Kea', () => existsSync(socket) || undefined)
      const ask = (command: string) =>
        new Promise<string>((resolve, reject) => {
          let answer = ''
          const open = connect(socket, () => open.end(JSON.stringify({ command })))
          open.on('data', (bytes) => {
            answer += bytes.toString()
          })
          open.on('end', () => resolve(answer))
          open.on('error', reject)
        })
      expect(await ask('config-get')).toContain('10.9.0.10')
      await api.devices.create({
        name: 'new',
        tags: ['c'],
        addresses: [{ ip: '10.9.0.77', mac_address: '525400000077' }],
      })
      const content = await fetch(url + feed.url, { headers: { Authorization: `Bearer ${key}` } })
      writeFileSync(path, await content.text())
      expect(await ask('config-reload')).toContain('"result": 0')
      expect(await ask('config-get')).toContain('10.9.0.77')
    } finally {
      child.kill()
      await child.exited
    }
  }, 60_000)

  test('cron keeps the file current by plat feed pull', async () => {
    const { usage, path } = await usageOf('hosts')
    const line = usage.find((text) => text.startsWith('* * * * *')) ?? ''
    const command = line.replace('* * * * * ', '').replace(' plat ', ` ${join(import.meta.dir, '../../plat')} `)
    const own = command
      .replace('/etc/plat.hosts', at('cron.hosts'))
      .replace('systemctl reload dnsmasq', `touch ${at('reloaded')}`)
    const { code, out, err } = await run(['sh', '-c', own])
    expect([code, out, err]).toEqual([0, 'changed\n', ''])
    expect(readFileSync(at('cron.hosts'), 'utf8')).toBe(readFileSync(path, 'utf8'))
    expect(readFileSync(at('reloaded'), 'utf8')).toBe('')
  })
})
