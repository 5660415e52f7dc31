/** The fields of the columns of a spreadsheet, guessed by their names. Browser-safe. */

/** Other words for fields, as they stand in people's files. A field with the ending `_id` has its words without it. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  id: ['uuid', 'deviceid'],
  name: ['device', 'devicename', 'label', 'title', 'asset', 'assetname'],
  hostname: ['host', 'fqdn', 'dnsname', 'dns'],
  description: ['comment', 'comments', 'desc'],
  make_model: ['model', 'hardware', 'devicetype', 'type', 'product'],
  os: ['operatingsystem', 'system', 'platform'],
  status: ['state'],
  datacenter: ['dc', 'site', 'datacentre'],
  username: ['user', 'login'],
  location: ['place', 'rack', 'room', 'address'],
  tags: ['tag', 'labels'],
  addresses: ['address', 'ip', 'ips', 'ipaddress', 'ipaddresses', 'ipv4', 'primaryip', 'primaryip4', 'managementip'],
  domains: ['domain'],
  subnet: ['cidr', 'prefix', 'network', 'range'],
  vlan: ['vid'],
  network: ['subnet'],
  start_ip: ['start', 'first', 'from', 'startaddress'],
  end_ip: ['end', 'last', 'to', 'endaddress'],
  ip_address: ['ip', 'address', 'ipaddress'],
  mac_address: ['mac', 'macaddr', 'hwaddress', 'hwaddr', 'hardwareaddress', 'ethernet'],
  purpose: ['reason', 'for'],
  notes: ['note', 'comment', 'comments', 'description'],
  expires_at: ['expires', 'expiry', 'until'],
  parent: ['from', 'deviceid', 'device', 'source'],
  child: ['to', 'target'],
}

const SUFFIX = /_id$/

const normalizeWord = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]/g, '')

const isWordFor = (field: string, column: string): boolean => {
  const base = field.replace(SUFFIX, '')
  return normalizeWord(base) === column || WORDS[base]?.includes(column) === true
}

/**
 * Returns the field of each column, or '' for none. Each field is taken once: by its exact name first, then by another
 * word for it. Of a reference by name and by id, one is taken.
 */
export const guessFields = (fields: readonly string[], columns: readonly string[]): string[] => {
  const free = new Set(fields)
  const guessed = columns.map(() => '')
  const words = columns.map(normalizeWord)
  const take = (matches: (field: string, column: string) => boolean) => {
    for (const [at, word] of words.entries()) {
      if (free.size === 0) return
      if (word === '' || guessed[at] !== '') continue
      const field = fields.find((one) => free.has(one) && matches(one, word))
      if (field === undefined) continue
      guessed[at] = field
      const base = field.replace(SUFFIX, '')
      for (const one of [field, base, `${base}_id`]) free.delete(one)
    }
  }
  take((field, column) => normalizeWord(field) === column)
  take(isWordFor)
  return guessed
}
