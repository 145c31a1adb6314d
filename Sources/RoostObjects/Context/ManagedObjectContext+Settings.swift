// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// What a context is told about itself, and may be told from any thread (B227): it takes effect with the next save.
struct ContextSettings: Sendable {
  var name: String?
  var userInfo: [String: any Sendable] = [:]
  var transactionAuthor: String?
  var mergePolicy = MergePolicy.error
}

extension ManagedObjectContext {
  /// A name for logs and the history. It may be set from any thread (B227).
  public var name: String? {
    get { settings.withLock { $0.name } }
    set { settings.withLock { $0.name = newValue } }
  }

  /// What the program keeps with the context. It may be set from any thread (B227).
  public var userInfo: [String: any Sendable] {
    get { settings.withLock { $0.userInfo } }
    set { settings.withLock { $0.userInfo = newValue } }
  }

  /// Who changes: written to the history with each save (B290). It may be set from any thread (B227).
  public var transactionAuthor: String? {
    get { settings.withLock { $0.transactionAuthor } }
    set { settings.withLock { $0.transactionAuthor = newValue } }
  }

  /// How conflicts of a save are resolved (B178 to B182). It may be set from any thread (B227).
  public var mergePolicy: MergePolicy {
    get { settings.withLock { $0.mergePolicy } }
    set { settings.withLock { $0.mergePolicy = newValue } }
  }
}
