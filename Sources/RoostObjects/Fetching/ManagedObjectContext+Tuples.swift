// SPDX-License-Identifier: Apache-2.0

package import RoostModel
package import RoostQuery

extension ManagedObjectContext {
  /// Returns what a request for dictionaries finds, the values of each result in the order of its columns.
  package func fetchTuples(_ request: FetchRequest<[String: Any]>) throws -> [ArraySlice<Value>] {
    checkQueue()
    processPendingChanges()
    return try fetcher.fetchTuples(fetcher.resolve(request), for: request)
  }
}
