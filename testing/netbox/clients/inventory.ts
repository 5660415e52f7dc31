/** The inventory that Ansible makes by its plugin for NetBox: the groups with their hosts, and the variables of each host. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { Target } from './run.ts'

export const Group = z.object({ hosts: z.array(z.string()).default([]), children: z.array(z.string()).default([]) })
const Listed = z.looseObject({ _meta: z.object({ hostvars: z.record(z.string(), z.record(z.string(), z.unknown())) }) })

export type Inventory = {
  /** Hosts and groups within each group, sorted. */
  readonly groups: Readonly<Record<string, z.infer<typeof Group>>>
  readonly hosts: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

/** All by which Plat can group. */
const OPTIONS = `
plugin: netbox.netbox.nb_inventory
plurals: false
interfaces: true
services: true
site_data: true
prefixes: true
group_by: [region, site_group, site, location, rack, tenant, tag, role, device_type, manufacturer, platform, status, cluster, is_virtual, services]
`

/** Returns values without the mark that Ansible gives to texts of strangers. */
const unmark = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(unmark)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
  const [[key, text] = []] = entries
  if (key === '__ansible_unsafe') return text
  return Object.fromEntries(entries.map(([name, inner]) => [name, unmark(inner)]))
}

/** Reads the output of `ansible-inventory --list`. */
export const parseInventory = (text: string): Inventory => {
  const { _meta, ...groups } = Listed.parse(unmark(JSON.parse(text)))
  const sorted = Object.entries(groups).map(([name, group]) => {
    const { hosts, children } = Group.parse(group)
    return [name, { hosts: hosts.sort(), children: children.sort() }] as const
  })
  const hosts = Object.entries(_meta.hostvars).sort(([a], [b]) => (a < b ? -1 : 1))
  return { groups: Object.fromEntries(sorted), hosts: Object.fromEntries(hosts) }
}

export const listInventory = async ({ run, dir }: Target): Promise<Inventory> => {
  writeFileSync(join(dir, 'netbox.yml'), OPTIONS)
  return parseInventory((await run(['ansible-inventory', '-i', 'netbox.yml', '--list'])).out)
}
