/** The query of the list of a resource. */
import { queryOptions } from '@tanstack/react-query'
import type { ContractOf } from '../../../../src/inventory/resources.ts'
import type { AnyOperation, InputOf } from '../../../../src/kernel/operation.ts'
import { call } from '../../api/client.ts'
import { type Contracts, contracts, type Out } from '../../api/contracts.ts'
import { CONTRACT_NAMES, type Resource } from './names.ts'

/** The list of objects in other objects is `all`, because `list` is the list in one of them. */
type ListOf<R extends Resource> = Contracts[ContractOf<R>] extends { readonly all: infer A extends AnyOperation }
  ? A
  : Contracts[ContractOf<R>] extends { readonly list: infer L extends AnyOperation }
    ? L
    : never

/** Returns the operations of a resource. */
export const getOperations = (name: Resource): Readonly<Record<string, AnyOperation>> =>
  // Each resource has a contract.
  Reflect.get(contracts, CONTRACT_NAMES[name] ?? name) as Readonly<Record<string, AnyOperation>>

/** The inputs of lists that show more than the objects. A resource that is not named here has no such parts. */
const INPUTS: { readonly [R in Resource]?: InputOf<ListOf<R>> } = {
  networks: { include: ['utilization'] },
  pools: { include: 'utilization' },
  racks: { include: ['usage'] },
}

const listAll = <R extends Resource>(name: R): Promise<Out<ListOf<R>>> => {
  const { all, list } = getOperations(name)
  // As the type says. An input without members is an input of every list.
  return call((all ?? list) as ListOf<R>, (INPUTS[name] ?? {}) as InputOf<ListOf<R>>)
}

/** Returns the query of all objects of a resource, for its page and for all others. Its key is the name of the resource. */
export const buildListQuery = <R extends Resource>(name: R) =>
  queryOptions({ queryKey: [name], queryFn: () => listAll(name) })

/** Returns the same query for a resource that is known only as a value. */
export const buildObjectsQuery = (name: Resource) =>
  queryOptions({ queryKey: [name], queryFn: (): Promise<readonly object[]> => listAll(name) })
