// SPDX-License-Identifier: Apache-2.0

package import RoostModel
package import RoostObjects

/// Ordered relationships: with a to-one inverse, with an unordered and an ordered many-to-many inverse, and without
/// one.
package enum ScoreModel {
  package static func make() -> ManagedObjectModel {
    var sketch = ModelSketch()
    sketch.add("Album", [.string("name")])
    sketch.add("Track", [.string("name")])
    sketch.add("Mix", [.string("name")])
    sketch.relate(.init("Album", "tracks", .ordered), .init("Track", "album", .one))
    sketch.relate(.init("Mix", "songs", .ordered), .init("Track", "mixes", .many))
    sketch.relate(.init("Mix", "favourites", .ordered), .init("Track", "lovers", .ordered))
    sketch.relate(.init("Mix", "queue", .ordered), to: "Track")
    return sketch.make()
  }

  /// Inserts a mix `m` and an album `l`, and tracks named by letters, without relationships.
  package static func fill(_ context: ManagedObjectContext, _ tracks: String) throws {
    try context.make("Album", ["name": "l"])
    try context.make("Mix", ["name": "m"])
    for letter in tracks { try context.make("Track", ["name": String(letter)]) }
    try context.save()
  }
}
