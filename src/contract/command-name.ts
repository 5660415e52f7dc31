/** Derives the words of an operation on the command line and, joined with `_`, its MCP tool name. Browser-safe. */

/** @example toSingular('relationships') // 'relationship' */
export const toSingular = (noun: string): string => {
  if (noun.endsWith('ies')) return `${noun.slice(0, -3)}y`
  return noun.endsWith('s') && !noun.endsWith('ss') ? noun.slice(0, -1) : noun
}

/** The part of an operation from which names are derived. */
export type Named = {
  readonly name: string
  readonly cli?: { readonly command?: string; readonly args?: readonly string[] } | undefined
}

/**
 * Returns the words after `plat`: the words of the contract, else the singular noun and the verb.
 * @example getCommandWords({ name: 'devices.create' }) // ['device', 'create']
 * @example getCommandWords({ name: 'pools.all', cli: { command: 'pool list' } }) // ['pool', 'list']
 */
export const getCommandWords = ({ name, cli }: Named): readonly string[] => {
  if (cli?.command !== undefined) return cli.command.split(' ')
  const [noun = '', ...verb] = name.split('.')
  return [toSingular(noun), ...verb]
}

/** Returns the MCP tool name: letters, digits and `_`. @example getToolName({ name: 'pools.next-ip' }) // 'pool_next_ip' */
export const getToolName = (op: Named): string => getCommandWords(op).join('_').replaceAll('-', '_')

/** Returns a field's name as a flag. @example toFlagName('datacenter_id') // 'datacenter-id' */
export const toFlagName = (field: string): string => field.replaceAll('_', '-')
