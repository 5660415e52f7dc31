/** The query of the list of a resource, and the names of its objects. */
import { queryOptions } from '@tanstack/react-query'
import type { ContractOf } from '../../../src/features/inventory.ts'
import type { AnyOperation, InputOf } from '../../../src/platform/operation/operation.ts'
import { call } from '../api/client.ts'
import { type Contracts, contracts, type Out } from '../api/contracts.ts'
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

const getListOperation = <R extends Resource>(name: R): ListOf<R> => {
  const { all, list } = getOperations(name)
  // As the type says.
  return (all ?? list) as ListOf<R>
}

/** Lists all objects of any resource, without the parts that a list adds on request. */
export const listObjects = (name: Resource): Promise<readonly object[]> => {
  const list: AnyOperation = getListOperation(name)
  // Every resource lists objects.
  return call(list, {}) as Promise<readonly object[]>
}

// An input without members is an input of every list.
const NO_INPUT = {} as never

/** Returns the query of all objects of a resource. Its key is the name of the resource. */
export const buildListQuery = <R extends Resource>(name: R, input: InputOf<ListOf<R>> = NO_INPUT) =>
  queryOptions({
    queryKey: [name],
    queryFn: (): Promise<Out<ListOf<R>>> => call(getListOperation(name), input),
  })
