/** The card that makes networks of a list of subnets. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { call } from '../api/client.ts'
import { contracts } from '../api/contracts.ts'
import { toAppError } from '../api/errors.ts'
import { useReport } from '../proposals/known-proposals.ts'
import { runBatch } from '../resource/batch.ts'
import { Button } from '../ui/button.tsx'
import { TextArea } from '../ui/field.tsx'
import { formatCount, plural } from '../ui/format.ts'
import { Card } from '../ui/primitives.tsx'
import { parseSubnets, type Subnet } from './parse-subnets.ts'
import css from './start.module.css'

/** The number of wrong lines that are named. */
const MAX_NAMED = 5

/** Says at which line a refusal is. */
const describeRefusal = (error: unknown, subnets: readonly Subnet[]): string => {
  const { message, details } = toAppError(error)
  const at = /^operations\[(\d+)\]/.exec(details[0]?.field ?? '')?.[1]
  const line = at === undefined ? undefined : subnets[Number(at)]?.line
  return line === undefined ? message : `Line ${line}: ${details[0]?.message ?? message}`
}

const addNetworks = (subnets: readonly Subnet[]) =>
  runBatch(
    (operations, fields) => call(contracts.networks.bulk, { operations, ...fields }),
    subnets.map(({ subnet, name }) => ({ op: 'create' as const, network: { subnet, name } })),
  )

export const NetworksCard = () => {
  const client = useQueryClient()
  const report = useReport()
  const file = useRef<HTMLInputElement>(null)
  const [text, setText] = useState('')
  const { good, wrong } = parseSubnets(text)
  const add = useMutation({
    mutationFn: () => addNetworks(good),
    onSuccess: ({ written }) => {
      report(`Added ${plural(good.length, 'network')}`, written)
      setText('')
      void client.invalidateQueries()
    },
  })
  const problems = [
    ...(add.error ? [describeRefusal(add.error, good)] : []),
    ...wrong.slice(0, MAX_NAMED),
    ...(wrong.length > MAX_NAMED ? [`and ${formatCount(wrong.length - MAX_NAMED)} more`] : []),
  ]
  const change = (value: string) => {
    add.reset()
    setText(value)
  }
  return (
    <Card title="Add your networks">
      <form
        className={css.form}
        onSubmit={(event) => {
          event.preventDefault()
          if (good.length > 0) add.mutate()
        }}
      >
        <TextArea
          label="Subnets"
          hint="One subnet a line; a name may follow."
          value={text}
          onChange={change}
          placeholder={'10.0.0.0/8 Company\n10.1.0.0/16 Frankfurt'}
        />
        <div className={css.buttons}>
          <Button type="submit" look="primary" disabled={good.length === 0 || add.isPending}>
            Add {plural(good.length, 'network')}
          </Button>
          <Button onClick={() => file.current?.click()}>Choose a file</Button>
          <input
            ref={file}
            type="file"
            accept=".txt,.csv,.tsv,text/plain,text/csv"
            aria-label="File of subnets"
            hidden
            onChange={({ target }) => {
              void target.files?.[0]?.text().then(change)
              target.value = ''
            }}
          />
        </div>
        <ul className={css.problems} aria-live="polite">
          {problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      </form>
    </Card>
  )
}
