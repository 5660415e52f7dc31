/** The packs with their kinds and fields. The buttons install, upgrade and uninstall them. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { usePermit } from '../../shell/me.ts'
import { PageBody } from '../../shell/page.tsx'
import { PageLoading } from '../../shell/page-loading.tsx'
import { Button } from '../../ui/button.tsx'
import { plural } from '../../ui/format.ts'
import { Badge, Card, Tag } from '../../ui/primitives.tsx'
import { Failure } from '../../ui/states.tsx'
import css from '../kinds.module.css'
import { PackDialog, type PackStep } from './pack-dialog.tsx'
import { type Pack, packsQuery } from './packs.ts'

/** Returns the first permission that is missing. */
const useBlocked = (...verbs: readonly string[]): string | undefined => {
  const { blocked } = usePermit()
  return verbs
    .flatMap((verb) => [`kinds:${verb}`, `custom-fields:${verb}`])
    .map(blocked)
    .find((reason) => reason !== undefined)
}

/** Says why a pack cannot be taken away; undefined where it can, as far as is known here. */
const explainUse = ({ objects }: Pack): string | undefined =>
  objects > 0 ? `Its kinds have ${plural(objects, 'object')}: delete them first` : undefined

const ABBREVIATIONS: Readonly<Record<string, string>> = { as: 'AS', bgp: 'BGP', fhrp: 'FHRP', nat: 'NAT', vpns: 'VPNs' }

/** `provider-networks` -> `Provider networks` */
const toKindText = (id: string): string => {
  const text = id
    .split('-')
    .map((word) => ABBREVIATIONS[word] ?? word)
    .join(' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

type CardProps = { readonly pack: Pack; readonly onStep: (step: PackStep['kind']) => void }

const PackCard = ({ pack, onStep }: CardProps) => {
  const { title, description, version, installed, kinds, fields } = pack
  const noInstall = useBlocked('create', 'update')
  const noUninstall = useBlocked('delete')
  const isOld = installed !== null && installed < version
  return (
    <Card title={title} actions={installed !== null && <Badge tone="ok">Installed</Badge>}>
      <div className={css.pack}>
        <div>
          <p>{description}</p>
          <ul aria-label={`What ${title} brings`}>
            {kinds.map((id) => (
              <li key={id}>
                <Tag>{toKindText(id)}</Tag>
              </li>
            ))}
            <li className="muted">{plural(fields, 'field')}</li>
          </ul>
        </div>
        <div className={css.tools}>
          {installed === null && (
            <Button onClick={() => onStep('install')} blocked={noInstall} aria-label={`Install ${title}`}>
              Install
            </Button>
          )}
          {isOld && (
            <>
              <Button
                look="primary"
                onClick={() => onStep('upgrade')}
                blocked={noInstall}
                aria-label={`Upgrade ${title}`}
              >
                Upgrade
              </Button>
              <span className="muted">
                Version {version}; {installed} is installed
              </span>
            </>
          )}
          {installed !== null && (
            <Button
              onClick={() => onStep('uninstall')}
              blocked={noUninstall ?? explainUse(pack)}
              aria-label={`Uninstall ${title}`}
            >
              Uninstall
            </Button>
          )}
        </div>
      </div>
    </Card>
  )
}

/** The cards of packs, and the dialogs of their buttons. */
export const PackCards = ({ packs }: { readonly packs: readonly Pack[] }) => {
  const [step, setStep] = useState<PackStep>()
  return (
    <>
      <div className={css.packs}>
        {packs.map((pack) => (
          <PackCard key={pack.name} pack={pack} onStep={(kind) => setStep({ kind, pack })} />
        ))}
      </div>
      {step && <PackDialog step={step} onClose={() => setStep(undefined)} />}
    </>
  )
}

export const PacksTab = () => {
  const { data, error, refetch } = useQuery(packsQuery)
  if (error && !data) return <Failure error={error} onRetry={() => void refetch()} noun="page" />
  if (!data) return <PageLoading />
  return (
    <PageBody>
      <PackCards packs={data} />
    </PageBody>
  )
}
