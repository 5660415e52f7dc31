/** The test of a connection: its answer, and the certificate of the system, which a person can trust by its fingerprint. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import type { Contracts, Out } from '../api/contracts.ts'
import { toAppError } from '../api/errors.ts'
import { Band } from '../resource/object/band.tsx'
import { usePermit } from '../shell/me.ts'
import { Button } from '../ui/button.tsx'
import { toast, toastError } from '../ui/toast.tsx'
import { SOURCE_KEYS, type Source } from './queries.ts'
import css from './sources.module.css'

type Answer = Out<Contracts['sources']['test']>

export const useTest = (id: string) => useMutation({ mutationFn: () => api.sources.test({ id }) })

export type Test = ReturnType<typeof useTest>

/** Trusts the certificate, and tests again. */
const useTrust = (id: string, test: Test) => {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (fingerprint: string) => api.sources.update({ id, tls_fingerprint: fingerprint }),
    onSuccess: () => {
      toast('The certificate is trusted')
      for (const key of SOURCE_KEYS) void client.invalidateQueries({ queryKey: [key] })
      test.mutate()
    },
    onError: (error) => toastError('It is not trusted', error),
  })
}

const describe = ({ product, latency_ms }: Answer): string =>
  `${product === '' ? 'It answers' : product}, after ${latency_ms} ms.`

const Certificate = ({ subject, issuer, not_after }: NonNullable<Answer['certificate']>) => (
  <span className="muted">
    Its certificate {subject} is issued by {issuer}, and ends {not_after}.
  </span>
)

type Props = { readonly source: Source; readonly test: Test }

export const TestResult = ({ source, test }: Props) => {
  const { blocked } = usePermit()
  const trust = useTrust(source.id, test)
  if (test.isPending)
    return (
      <Band tone="idle" mark="testing …">
        <span>Waiting for {source.url || 'the system'}.</span>
      </Band>
    )
  if (test.data)
    return (
      <Band tone="ok" mark="answers">
        <span>
          {describe(test.data)} {test.data.certificate && <Certificate {...test.data.certificate} />}
        </span>
        <Button look="quiet" onClick={() => test.reset()}>
          Dismiss
        </Button>
      </Band>
    )
  if (!test.error) return null
  const { message, details } = toAppError(test.error)
  const fingerprint = details.find(({ field }) => field === 'tls_fingerprint')?.message
  return (
    <Band tone="bad" mark="no connection" isAlert>
      <span>
        {fingerprint === undefined ? message : message.replace(`: its SHA-256 is ${fingerprint}`, '. ')}
        {fingerprint !== undefined && (
          <span className={css.fingerprint}>
            SHA-256 of its certificate: <code className="mono">{fingerprint}</code> Compare it with the one that the
            system shows there.
          </span>
        )}
      </span>
      {fingerprint !== undefined && (
        <Button
          onClick={() => trust.mutate(fingerprint)}
          disabled={trust.isPending}
          blocked={blocked('sources:update')}
        >
          Trust this certificate
        </Button>
      )}
      <Button look="quiet" onClick={() => test.reset()}>
        Dismiss
      </Button>
    </Band>
  )
}
