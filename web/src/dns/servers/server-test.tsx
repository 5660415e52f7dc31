/** Sends a signed query to a DNS server, and shows its latency, the serial of a zone, or the error. */
import { useMutation, useQuery } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { toAppError } from '../../api/errors.ts'
import { usePermit } from '../../shell/me.ts'
import { Button } from '../../ui/button.tsx'
import { Badge } from '../../ui/primitives.tsx'
import css from '../dns.module.css'
import { type Server, serversQuery } from '../queries.ts'
import { zonesQuery } from '../zones-query.ts'

type Tested = Pick<Server, 'id' | 'name'>

export const useServerTest = () => {
  const { may } = usePermit()
  const { data: zones } = useQuery({ ...zonesQuery, enabled: may('dns:list') })
  return useMutation({
    mutationFn: async ({ id }: Tested) => {
      // Only the signature is tested if the server has no zone.
      const zone = zones?.find(({ provider_id }) => provider_id === id)?.name
      const result = await api.dnsProviders.test(zone === undefined ? { id } : { id, zone })
      return { ...result, zone }
    },
  })
}

type Test = ReturnType<typeof useServerTest>

const formatAnswer = ({ latency_ms, serial, zone }: NonNullable<Test['data']>): string => {
  const found = serial === null ? 'The key is accepted. No zone uses this server yet.' : `Serial ${serial} of ${zone}.`
  return `Answered in ${latency_ms} ms. ${found}`
}

export const ServerTestResult = ({ test }: { readonly test: Test }) => {
  const { data, error, variables, isPending } = test
  if (isPending || (!data && !error)) return null
  return (
    <div role="status" className={css.result} data-tone={data ? 'ok' : 'bad'}>
      <Badge tone={data ? 'ok' : 'bad'}>{data ? 'answers' : 'failed'}</Badge>
      <span>
        <b>{variables?.name}</b> {data ? formatAnswer(data) : toAppError(error).message}
      </span>
      <Button look="quiet" onClick={() => test.reset()}>
        Dismiss
      </Button>
    </div>
  )
}

type ButtonProps = { readonly server: Tested; readonly test: Test; readonly isInRow?: boolean }

export const ServerTestButton = ({ server, test, isInRow = false }: ButtonProps) => {
  const { blocked } = usePermit()
  const isRunning = test.isPending && test.variables?.id === server.id
  return (
    <Button
      onClick={() => test.mutate({ id: server.id, name: server.name })}
      disabled={test.isPending}
      blocked={blocked('dns:test')}
      // Nothing in a row is a tab stop. The drawer has the same button.
      tabIndex={isInRow ? -1 : undefined}
      aria-label={isInRow ? `Test ${server.name}` : undefined}
    >
      {isRunning ? 'Waiting …' : 'Test'}
    </Button>
  )
}

/** Below the form of a server. It tests the stored settings. */
export const StoredTest = ({ id }: { readonly id: string }) => {
  const test = useServerTest()
  const { data } = useQuery(serversQuery)
  const server = { id, name: data?.find((one) => one.id === id)?.name ?? '' }
  return (
    <section className={css.stored} aria-label="Test">
      <span className={css.marked}>
        <ServerTestButton server={server} test={test} />
        <span className="muted">Sends a signed query, with the saved settings.</span>
      </span>
      <ServerTestResult test={test} />
    </section>
  )
}
