/** The interfaces through which a machine reaches its own containers and virtual machines. Browser-safe. */

/**
 * The default names of Docker (`docker0`, `br-` and twelve digits of the network's id), Podman, CNI plugins, LXC, LXD, Incus and of
 * Kubernetes networks.
 */
const CONTAINERS =
  /^(docker\d+|docker_gwbridge|br-[0-9a-f]{12}|podman\d+|cni\d+|cni-podman\d+|lxcbr\d+|lxdbr\d+|incusbr\d+|flannel\.\d+|kube-bridge)$/

/** The default bridges of libvirt. */
const MACHINES = /^virbr\d+$/

/** @returns what is behind the interface, if it leads to guests of this machine */
export const getGuests = (name: string): 'containers' | 'virtual machines' | undefined => {
  if (CONTAINERS.test(name)) return 'containers'
  return MACHINES.test(name) ? 'virtual machines' : undefined
}
