export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: an object of the API, of any kind.
  readonly body: any;
}

export interface Watch {
  /** Resolves when the server has answered. */
  readonly opened: Promise<void>;
  /** Resolves when the connection is gone, whoever ended it. */
  readonly ended: Promise<unknown>;
  /** Breaks the connection; no event comes afterwards. */
  cut(): void;
}

export interface Api {
  /** Any status is an answer. */
  request(method: string, path: string, body?: unknown, contentType?: string): Promise<Answer>;
  /** The next four throw what is not 2xx. */
  get(path: string): Promise<Answer["body"]>;
  create(path: string, body: unknown): Promise<Answer["body"]>;
  /** A merge patch. */
  patch(path: string, body: unknown): Promise<Answer["body"]>;
  remove(path: string): Promise<Answer["body"]>;
  watch(path: string, onEvent: (event: { type: string; object: Answer["body"] }) => void): Watch;
}

export interface Component {
  /** Exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
  isRunning(): boolean;
  log(): string;
  stop(signal?: NodeJS.Signals): Promise<void>;
}

export interface ControlPlane {
  readonly folder: string;
  readonly storeUrl: string;
  readonly api: Api;
  readonly kubeconfig: string;
  startControllerManager(clusterCidr: string, flags?: readonly string[]): Promise<Component>;
  startScheduler(): Promise<Component>;
  /** The same store under a kube-apiserver that encrypts with this provider, or does not. */
  restartApiServer(withEncryption?: string): Promise<void>;
  stop(): Promise<void>;
}

export function startControlPlane(options: {
  readonly kubernetes: string;
  readonly store: { readonly etcd: string } | { readonly kine: string };
  readonly serviceCidr: string;
  readonly port?: number;
  readonly encryption?: string;
  readonly folder?: string;
}): Promise<ControlPlane>;
