/** Derives the words of an operation on the command line and, joined with `_`, its MCP tool name. Browser-safe. */
import type { AnyOperation } from '../operation/operation.ts'

/** @example singular('relationships') // 'relationship' */
export const singular = (noun: string): string => {
  if (noun.endsWith('ies')) return `${noun.slice(0, -3)}y`
  return noun.endsWith('s') && !noun.endsWith('ss') ? noun.slice(0, -1) : noun
}

/** The part of an operation from which names are derived. */
export type Named = Pick<AnyOperation, 'name' | 'cli'>

/**
 * Returns the words after `plat`: those of the contract, else the singular noun and the verb.
 * @example commandOf({ name: 'devices.create' }) // ['device', 'create']
 * @example commandOf({ name: 'pools.all', cli: { command: 'pool list' } }) // ['pool', 'list']
 */
export const commandOf = ({ name, cli }: Named): readonly string[] => {
  if (cli?.command !== undefined) return cli.command.split(' ')
  const [noun = '', ...verb] = name.split('.')
  return [singular(noun), ...verb]
}

/** The MCP tool name: letters, digits and `_`. @example toolName({ name: 'pools.next-ip' }) // 'pool_next_ip' */
export const toolName = (op: Named): string => commandOf(op).join('_').replaceAll('-', '_')

/** Returns a field's name as a flag. @example flagName('datacenter_id') // 'datacenter-id' */
export const flagName = (field: string): string => field.replaceAll('_', '-')
