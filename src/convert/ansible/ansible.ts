/** Converts an inventory of Ansible. Groups become tags, `ansible_host` the address. */
import { isRecord } from '../../contract/unknown.ts'
import { normalizeIp } from '../../net/ip.ts'
import { type Converter, createFileError } from '../converter.ts'
import { Findings } from '../hosts/found.ts'
import { isSecret } from '../secret-fields.ts'
import { type Inventory, parseInventory } from './ansible-file.ts'

/** The names of the address of a host; the second is that of old inventories. */
const ADDRESS = ['ansible_host', 'ansible_ssh_host']
const ROOT_GROUPS = new Set(['all', 'ungrouped'])

const describeValue = (value: unknown): unknown =>
  isRecord(value) || Array.isArray(value) ? JSON.stringify(value) : value

const addHost = (findings: Findings, name: string, inventory: Inventory): void => {
  const variables = inventory.hosts.get(name) ?? {}
  const tags = [...(inventory.groups.get(name) ?? [])].filter((group) => !ROOT_GROUPS.has(group))
  const given = ADDRESS.flatMap((field) => (variables[field] === undefined ? [] : [String(variables[field])]))[0]
  const more: Record<string, unknown> = {}
  for (const [field, value] of Object.entries(variables)) {
    if (isSecret(field)) findings.report.dropped(`host.${field}`)
    else if (!ADDRESS.includes(field)) more[field] = describeValue(value)
  }
  const ip = normalizeIp(given ?? name)
  const found = { tags, more, hostname: normalizeIp(name) === undefined ? name : '' }
  if (ip !== undefined) findings.add({ ...found, ip })
  else {
    if (given !== undefined && given !== name) more.ansible_host = given
    findings.addNamed(found)
  }
}

export const convertAnsible: Converter = (bytes, options) => {
  const findings = new Findings('host', options)
  const inventory = parseInventory(bytes)
  if (inventory.hosts.size === 0) throw createFileError('the file', 'has no host of an inventory of Ansible')
  for (const name of inventory.hosts.keys()) addHost(findings, name, inventory)
  for (const [group, variables] of inventory.shared)
    for (const [field, value] of Object.entries(variables)) {
      if (isSecret(field)) findings.report.dropped(`group.${field}`)
      else findings.report.left(`group.${field}`, 'is of a group', { group, value })
    }
  return findings.conversion(inventory.source)
}
