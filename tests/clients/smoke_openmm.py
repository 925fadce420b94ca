# SPDX-License-Identifier: MIT
"""OpenMM: energies and forces of a salt by particle mesh Ewald, which needs cuFFT, against OpenMM's reference platform."""
import numpy
import openmm

SIDE, BOX = 6, 2.4
METHODS = {"PME": openmm.NonbondedForce.PME, "LJPME": openmm.NonbondedForce.LJPME, "Ewald": openmm.NonbondedForce.Ewald}


def salt(method):
    """Ions on a lattice, each moved a little; charges alternate."""
    system, force, random = openmm.System(), openmm.NonbondedForce(), numpy.random.default_rng(1)
    places = numpy.stack(numpy.meshgrid(*3 * [numpy.arange(SIDE)], indexing="ij"), -1).reshape(-1, 3)
    for place in places:
        system.addParticle(20.0)
        force.addParticle(1.0 - 2.0 * (place.sum() % 2), 0.2, 0.5)
    system.setDefaultPeriodicBoxVectors(*(openmm.Vec3(*(BOX * row)) for row in numpy.eye(3)))
    force.setNonbondedMethod(method)
    force.setCutoffDistance(0.9)
    force.setEwaldErrorTolerance(1e-4)
    system.addForce(force)
    return system, (places + random.uniform(-0.1, 0.1, places.shape)) * (BOX / SIDE)


def evaluate(system, places, platform, properties):
    context = openmm.Context(system, openmm.VerletIntegrator(0.001), openmm.Platform.getPlatformByName(platform), properties)
    context.setPositions(places)
    state = context.getState(getEnergy=True, getForces=True)
    return state.getPotentialEnergy()._value, numpy.array(state.getForces(asNumpy=True)._value)


for name, method in METHODS.items():
    system, places = salt(method)
    energy, forces = evaluate(system, places, "Reference", {})
    for precision in ("single", "double"):
        found, pull = evaluate(system, places, "CUDA", {"Precision": precision})
        print(name, precision, found, energy, abs(pull - forces).max() / abs(forces).max())
        assert abs(found - energy) < 1e-4 * abs(energy)
        assert abs(pull - forces).max() < 1e-3 * abs(forces).max()
print("OpenMM", openmm.version.version, "right")
